from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from taxocom.errors import StoreError
from taxocom.store.disk.array_file import read_arrays, write_arrays

_DTYPES = st.sampled_from(["<f4", "<f8", "<i4", "<i8", "|b1", "|u1", "<U3"])
_ARRAYS = st.dictionaries(
    st.text("abc_", min_size=1, max_size=5),
    _DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))),
    max_size=4,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays=_ARRAYS, fortran=st.booleans())
def test_what_is_read_is_what_was_written(tmp_path: Path, arrays, fortran: bool) -> None:
    path = tmp_path / "file.npz"
    path.unlink(missing_ok=True)
    written = {name: np.asfortranarray(array) if fortran else array for name, array in arrays.items()}
    write_arrays(path, {"n": len(arrays)}, written)
    content = read_arrays(path)
    assert content.metadata == {"n": len(arrays)}
    assert content.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        found = content.arrays[name]
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
        assert not found.flags.writeable
        assert found.size == 0 or found.ctypes.data % 64 == 0


def test_numpy_reads_the_file_too(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a.npz", {}, {"x": np.arange(6.0).reshape(2, 3)})
    np.testing.assert_array_equal(np.load(tmp_path / "a.npz")["x"], [[0, 1, 2], [3, 4, 5]])


def test_large_arrays_are_mapped_not_read(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a.npz", {}, {"x": np.zeros(1000)})
    base: object = read_arrays(tmp_path / "a.npz").arrays["x"].base
    assert isinstance(getattr(base, "obj", base), pa.Buffer)


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = np.arange(5), np.ones((2, 2), np.float32)
    write_arrays(tmp_path / "a", {"b": 1, "a": 2}, {"x": first, "y": second})
    write_arrays(tmp_path / "b", {"a": 2, "b": 1}, {"y": second, "x": first})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_python_objects_and_nan_metadata_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="'x' holds Python objects"):
        write_arrays(tmp_path / "a", {}, {"x": np.array([None])})
    with pytest.raises(StoreError, match="cannot be kept as JSON"):
        write_arrays(tmp_path / "b", {"nan": float("nan")}, {})


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"no zip")
    with pytest.raises(StoreError, match=r"a\.npz is damaged"):
        read_arrays(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metadata.json", "{}")
        archive.writestr("x.npy", b"not an array")
    with pytest.raises(StoreError, match=r"a\.npz is damaged"):
        read_arrays(path)
