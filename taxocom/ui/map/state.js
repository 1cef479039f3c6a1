// Publishes what is known of a node's terms while its map is still to come: the histogram of novelty goes by it.

export default function publish({ data }) {
  const { clusters, scales, terms, points } = data;
  if (!shared.points.has(points.terms)) {
    shared.waiting.set(points.terms, [...(shared.waiting.get(points.terms) ?? []), () => publish({ data })]);
    return;
  }
  shared.states.set(points.terms, {
    id: data.state, clusters, scales,
    cluster: decode(terms.cluster, Int16Array), flags: decode(terms.flags, Uint8Array),
    novelty: decode(terms.novelty, Uint16Array), significance: decode(terms.significance, Uint16Array),
  });
  announce("state", { points: points.terms });
}
