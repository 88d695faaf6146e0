"""The rooms of ctx.py are what their banners say: numbered, in order, looking only upward, pure."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = (Path(__file__).parent.parent / "ctx.py").read_text("utf-8")
LINES = SOURCE.splitlines()
DATA = LINES.index(next(line for line in LINES if line.startswith("# ---- DATA")))  # code ends here
MAX_CODE, MAX_ROOM = 10_000, 800  # lines; they may be lowered, never raised: pay for what you add
BANNER = re.compile(r"^# ---- (\d+) ([A-Z]+) \((pure|world|entry)\) -+$")
WORLD_NAMES = {
    "open",
    "print",
    "os",
    "sys",
    "subprocess",
    "time",
    "random",
    "Path",
    "stat",
    "tempfile",
}
WORLD_CALLS = {"read_text", "read_bytes", "write_text", "write_bytes"}


class Room:
    """One banner and the statements below it."""

    def __init__(self, number: int, name: str, kind: str, start: int) -> None:
        self.number, self.name, self.kind, self.start = number, name, kind, start
        comment = []
        for line in LINES[start:]:
            if not line.startswith("#"):
                break
            comment.append(line[2:])
        said = re.search(r"Uses: ([A-Z ]+|nothing)\.$", " ".join(comment))
        assert said, f"room {name} has no line `Uses: ...`"
        self.says = set() if said[1] == "nothing" else set(said[1].split())
        self.nodes: list[ast.stmt] = []


def read_rooms() -> list[Room]:
    rooms = []
    for number, line in enumerate(LINES, 1):
        match = BANNER.match(line)
        if match:
            rooms.append(Room(int(match[1]), match[2], match[3], number))
    for node in ast.parse(SOURCE).body:
        if node.lineno > DATA:
            break
        inside = [room for room in rooms if room.start < node.lineno]
        if inside:
            inside[-1].nodes.append(node)
    return rooms


ROOMS = read_rooms()


def defined(node: ast.stmt) -> list[str]:
    """The module-level names that a statement makes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [
            n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)
        ]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


OWNER = {name: room for room in ROOMS for node in room.nodes for name in defined(node)}


def used(room: Room) -> dict[str, Room]:
    """Names of other rooms that this room mentions, annotations in quotes included."""
    found = {}
    for node in room.nodes:
        names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
        local = {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
        stored = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        local |= stored - (set() if isinstance(node, ast.FunctionDef) else set(defined(node)))
        for name in {name.id for name in names} - local:
            if name in OWNER and OWNER[name] is not room:
                found[name] = OWNER[name]
    return found


def test_rooms_are_numbered_in_order() -> None:
    assert [room.number for room in ROOMS] == list(range(1, len(ROOMS) + 1))


def test_no_name_is_defined_twice() -> None:
    names = [name for room in ROOMS for node in room.nodes for name in defined(node)]
    assert sorted(names) == sorted(set(names))


def test_the_docstring_lists_the_rooms() -> None:
    docstring = ast.get_docstring(ast.parse(SOURCE)) or ""
    listed = re.findall(r"^ {4}(\d+) ([A-Z]+) +\S", docstring, re.M)
    assert listed == [(str(room.number), room.name) for room in ROOMS]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_room_uses_exactly_the_rooms_above_that_its_banner_names(room: Room) -> None:
    uses = {other.name for other in used(room).values()}
    assert uses == room.says
    numbers = {other.name: other.number for other in ROOMS}
    assert all(numbers[name] < room.number for name in room.says)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_name_with_an_underscore_stays_in_its_room(room: Room) -> None:
    strangers = [name for name in used(room) if name.startswith("_")]
    assert strangers == []


@pytest.mark.parametrize(
    "room", [room for room in ROOMS if room.kind == "pure"], ids=lambda room: room.name
)
def test_a_pure_room_does_not_touch_the_world(room: Room) -> None:
    for node in room.nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                assert inner.id not in WORLD_NAMES, f"line {inner.lineno}: {inner.id}"
            if isinstance(inner, ast.Attribute):
                assert inner.attr not in WORLD_CALLS, f"line {inner.lineno}: .{inner.attr}"


def test_the_code_and_its_rooms_stay_small() -> None:
    ends = [room.start for room in ROOMS[1:]] + [DATA]
    sizes = {room.name: end - room.start for room, end in zip(ROOMS, ends, strict=True)}
    assert {name: size for name, size in sizes.items() if size > MAX_ROOM} == {}
    assert DATA <= MAX_CODE
