// Receives the part of a map (its documents or its terms) that a re-split does not change and keeps it for the map itself, under its digest.

export default function ({ data }) {
  const bytes = data.slice();
  const header = new DataView(bytes.buffer);
  const n = header.getUint32(0, true), texts = header.getUint32(4, true), digest = header.getUint32(8, true);
  const reader = new TextDecoder();
  let at = 12;
  const take = (Type, length) => {
    const array = new Type(bytes.buffer.slice(at, at + length * Type.BYTES_PER_ELEMENT));
    at += length * Type.BYTES_PER_ELEMENT;
    return array;
  };
  const xy = take(Float32Array, 2 * n), ids = take(Int32Array, n), counts = take(Int32Array, n), strength = take(Uint16Array, n);
  const terms = JSON.parse(reader.decode(take(Uint8Array, texts)));
  const id = reader.decode(take(Uint8Array, digest));
  shared.points.delete(id);
  shared.points.set(id, { n, xy, ids, counts, strength, terms });
  while (shared.points.size > 8) shared.points.delete(shared.points.keys().next().value);
  for (const wake of shared.waiting.get(id) ?? []) wake();
  shared.waiting.delete(id);
}
