"""Plain nested data to bytes and back, exactly, without pickle.

A snapshot is a line of JSON (what it is of, its version, a checksum and the structure) followed by
the raw bytes of the arrays. Loading reads data only: nothing in a snapshot can run code.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from ceo_gym.simulators.common.rows import Rows

_MAGIC = b"ceo-gym snapshot\n"
_ARRAY = "__array__"
_PAIRS = "__pairs__"


class SnapshotError(ValueError):
    """The bytes are not a whole snapshot of the asked kind and version."""


def dump(kind: str, version: int, state: Any) -> bytes:
    """Encode dicts, lists, tuples, scalars, strings, None and arrays.

    Tuples come back as lists; every float, integer and array bit comes back as it was.

    Raises:
        TypeError: if `state` holds anything else.
    """
    blobs: list[bytes] = []
    body = json.dumps(_encode(state, blobs), separators=(",", ":"), allow_nan=True)
    payload = b"".join([body.encode(), b"\n", *blobs])
    head = {"kind": kind, "version": version, "sha256": hashlib.sha256(payload).hexdigest()}
    return _MAGIC + json.dumps(head, separators=(",", ":")).encode() + b"\n" + payload


def load(kind: str, version: int, data: bytes) -> Any:
    """Decode what `dump` made.

    Raises:
        SnapshotError: if the bytes are damaged, of another kind or of another version.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise SnapshotError(f"a snapshot is bytes, not {type(data).__name__}")
    data = bytes(data)
    head_line, separator, payload = data.removeprefix(_MAGIC).partition(b"\n")
    if not data.startswith(_MAGIC) or not separator:
        raise SnapshotError("these bytes are not a ceo-gym snapshot")
    try:
        head = json.loads(head_line)
        found = (head["kind"], head["version"], head["sha256"])
    except (ValueError, KeyError, TypeError) as error:
        raise SnapshotError("the snapshot's first line is damaged") from error
    if found[0] != kind:
        raise SnapshotError(f"this is a snapshot of {found[0]!r}; expected one of {kind!r}")
    if found[1] != version:
        raise SnapshotError(
            f"the snapshot has version {found[1]}; this release of ceo-gym reads version {version}"
        )
    if hashlib.sha256(payload).hexdigest() != found[2]:
        raise SnapshotError("the snapshot is damaged: its checksum does not match its content")
    body, _, arrays = payload.partition(b"\n")
    return _decode(json.loads(body), arrays)


def to_plain(value: Any) -> Any:
    """A tree of dataclasses and tables as the plain data that `dump` takes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Rows):
        return value.get_state()
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    return value


def from_plain(kind: Any, plain: Any) -> Any:
    """The tree of `to_plain` again, by the type hints of its dataclasses."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: from_plain(hints[name], item) for name, item in plain.items()})
    if isinstance(kind, type) and issubclass(kind, Rows):
        table = kind()
        table.set_state(plain)
        return table
    if get_origin(kind) is list:
        return [from_plain(get_args(kind)[0], item) for item in plain]
    if get_origin(kind) is tuple:
        return tuple(plain)
    return plain


def _encode(value: Any, blobs: list[bytes]) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        offset = sum(map(len, blobs))
        blobs.append(np.ascontiguousarray(value).tobytes())
        return {_ARRAY: [value.dtype.str, list(value.shape), offset]}
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value) and not value.keys() & {_ARRAY, _PAIRS}:
            return {key: _encode(item, blobs) for key, item in value.items()}
        return {_PAIRS: [[_encode(k, blobs), _encode(v, blobs)] for k, v in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_encode(item, blobs) for item in value]
    raise TypeError(f"a snapshot cannot hold a {type(value).__name__}")


def _decode(value: Any, arrays: bytes) -> Any:
    if isinstance(value, list):
        return [_decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if _ARRAY in value:
        dtype, shape, offset = value[_ARRAY]
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(arrays, dtype, count, offset).reshape(shape).copy()
    if _PAIRS in value:
        return {_decode(key, arrays): _decode(item, arrays) for key, item in value[_PAIRS]}
    return {key: _decode(item, arrays) for key, item in value.items()}
