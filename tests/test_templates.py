"""The templates inside ctx.py are those of templates/, and filling them leaves nothing open."""

from pathlib import Path

import embed
import pytest

import ctx

ROOT = Path(__file__).parent.parent


def test_the_generated_block_is_current() -> None:
    source = (ROOT / "ctx.py").read_text("utf-8")
    assert embed.embed(source) == source, "run: python tests/embed.py"


def test_every_embedded_text_equals_its_file() -> None:
    files = {path.name: path.read_text("utf-8") for path in (ROOT / "templates").iterdir()}
    assert files == ctx.TEMPLATES


def test_a_placeholder_without_a_value_is_an_error() -> None:
    with pytest.raises(ctx.CtxError, match="commands"):
        ctx.fill("agents-section.md", ctx="python3 ctx.py", tasks="")


def test_a_value_without_a_placeholder_is_an_error() -> None:
    with pytest.raises(ctx.CtxError, match="colour"):
        ctx.fill("runloop.md", colour="blue")


def test_values_are_not_filled_again() -> None:
    text = ctx.fill("agents-section.md", ctx="{tasks}", commands="", tasks="")
    assert "{tasks} update" in text
