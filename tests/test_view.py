"""The page shows what an agent gets, also to a real browser; completion knows every command."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lab
import pytest
from browser import Browser, find_browser

import ctx

ATTACK = "</script><script>window.hacked=1</script>"
IMAGE = '<img src=x onerror="window.hacked=1">'
FILES = {
    "pay/charge.py": f'"""Charges. {ATTACK}"""\nimport shop.cart\n\ndef charge_card(cart):\n    """Take money {IMAGE}."""\n    return shop.cart.total_of(cart)\n',
    "shop/cart.py": "def total_of(cart):\n    return 0\n\nclass Cart:\n    def add_item(self, item):\n        return total_of(self)\n",
    f"lib{ATTACK}.py": "import shop.cart\n\ndef odd_name():\n    return shop.cart.Cart()\n",
    "mail/send.py": "import pay.charge\n\ndef send_receipt(cart):\n    return pay.charge.charge_card(cart)\n",
    "web/views.py": "import mail.send\nimport shop.cart\n\ndef show_cart():\n    return mail.send.send_receipt(shop.cart.Cart())\n",
    "TASKS.md": f"- [ ] T-1: Refund {IMAGE}\n  Let `charge_card` in pay/charge.py pay back. {ATTACK} \u2028 more.\n- [ ] T-2: Other\n",
}


def page_data(page: str) -> Any:
    """The data inside a page, as the browser reads it."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with hostile names, and its page for a task."""
    root = lab.plant(tmp_path_factory.mktemp("a") / "shop", FILES)
    lab.git(root, "init", "-q")
    lab.git(root, "add", "-A")
    lab.git(root, "commit", "-qm", "all")
    done = lab.run(root, "view", "T-1")
    assert (done.returncode, done.stdout) == (0, "")
    return root


def test_no_name_or_text_can_leave_the_data(shop: Path) -> None:
    page = (shop / ".ctx/view.html").read_text("utf-8")
    frame = ctx.TEMPLATES["view.html"].partition("{data}")
    inside = page.removeprefix(frame[0]).removesuffix(frame[2])
    assert len(inside) < len(page) - 5000
    assert not re.search("[<>&\u2028\u2029]", inside)
    assert ATTACK in json.dumps(page_data(page), ensure_ascii=False)


def test_the_page_names_no_place_and_loads_nothing(shop: Path) -> None:
    page = (shop / ".ctx/view.html").read_text("utf-8")
    assert str(shop) not in page and str(Path.home()) not in page
    spaces = set(re.findall(r"https?://[^\"\s]+", page))
    assert spaces == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}


def test_the_same_repository_gives_the_same_page(shop: Path, tmp_path: Path) -> None:
    page = (shop / ".ctx/view.html").read_bytes()
    other = tmp_path / "shop"
    shutil.copytree(shop, other, ignore=shutil.ignore_patterns(".ctx", ".runner"))
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed}
        assert lab.run(other, "view", "T-1", python=("-S",), env=environment).returncode == 0
        assert (other / ".ctx/view.html").read_bytes() == page


def test_git_does_not_see_the_page(shop: Path) -> None:
    assert "view.html" not in lab.git(shop, "status", "--short", "-uall")


def test_the_page_shows_the_map_as_it_is(shop: Path) -> None:
    shown = page_data((shop / ".ctx/view.html").read_text("utf-8"))["map"]
    text = lab.run(shop, "map", "--output", "-").stdout
    assert shown["used"] <= shown["budget"] == 1500
    assert f"{shown['used']} of 1500 tokens" in text
    titles = [row["title"] for row in shown["rows"] if row["text"]]
    assert titles == re.findall(r"(?m)^## (.*)$", text)
    assert all(row["text"] in text for row in shown["rows"])


def test_the_page_shows_the_prompt_and_the_code_in_it_as_they_are(shop: Path) -> None:
    data = page_data((shop / ".ctx/view.html").read_text("utf-8"))
    text = lab.run(shop, "prompt", "T-1", "--reanchor").stdout
    assert data["prompt"]["bytes"] == len(text.encode())
    assert all(row["text"] in text for row in data["prompt"]["sections"] if row["kept"])
    assert data["package"]["tokens"] <= data["package"]["budget"]
    assert data["package"]["files"][0]["path"] == "pay/charge.py"
    for file in data["package"]["files"]:
        assert file["path"] in text and file["reason"] and file["code"] in text
        assert all(block["reason"] and block["score"] > 0 for block in file["blocks"])


def test_the_page_shows_every_task_with_its_attempts(tmp_path: Path) -> None:
    root = lab.plant(tmp_path, {"TASKS.md": "- [x] T-1: Old\n- [ ] T-2: New\n- [ ] T-3: Next\n"})
    for _ in range(2):
        assert lab.run(root, "record", "T-2", "--status", "retry").returncode == 0
    assert lab.run(root, "view", "T-2").returncode == 0
    tasks = page_data((root / ".ctx/view.html").read_text("utf-8"))["tasks"]
    assert [(task["id"], task["attempts"], task["selected"]) for task in tasks] == [
        ("T-1", 0, False),
        ("T-2", 2, True),
        ("T-3", 0, False),
    ]
    assert tasks[1]["state"] == "open (attempts: 2, last: retry)" and tasks[1]["next"]


def test_what_a_prompt_dropped_is_shown_with_its_text() -> None:
    sections = (ctx.Section("Contract", "all"), ctx.Section("Epic", "far", 4))
    prompt = ctx.Prompt(ctx.Task("T-1", "Title"), 30, sections, sections[:1], "")
    kept, dropped = ctx.prompt_data(prompt)["sections"]
    assert kept["kept"] and not kept["cut"] and kept["drop_order"] == 0
    assert not dropped["kept"] and dropped["drop_order"] == 1
    assert (dropped["text"], dropped["omitted"]) == ("", "## Epic\n\nfar\n")


def test_an_empty_repository_has_a_page(tmp_path: Path) -> None:
    assert lab.run(tmp_path, "view").returncode == 0
    assert page_data((tmp_path / ".ctx/view.html").read_text("utf-8"))["symbols"] == []


def test_an_unknown_task_is_told(shop: Path) -> None:
    done = lab.run(shop, "view", "T-9")
    assert done.returncode == 2 and "T-9" in done.stderr


# -- in a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not find_browser():
        pytest.skip("no browser here: install chromium to test the page")
    with Browser(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture
def page(browser: Browser, shop: Path) -> Browser:
    browser.open(shop / ".ctx/view.html")
    return browser


def rows(page: Browser) -> list[str]:
    return list(page.ask("[...document.querySelectorAll('#rows code')].map(x => x.textContent)"))


def click(page: Browser, selector: str, at: int = 0) -> None:
    click = "dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"
    page.ask(f"document.querySelectorAll({json.dumps(selector)})[{at}].{click}")


def test_the_page_opens_without_complaint_and_runs_nothing_hostile(page: Browser) -> None:
    assert page.faults == []
    assert page.ask("typeof window.hacked") == "undefined"
    assert page.ask("document.images.length + document.scripts.length") == 2
    assert ATTACK in page.ask("document.body.innerText")
    assert f"Refund {IMAGE}" in page.ask("document.querySelector('h2').textContent")
    asked = [each for each in page.events if each.get("method") == "Network.requestWillBeSent"]
    assert {each["params"]["request"]["url"].partition(":")[0] for each in asked} <= {"file"}


def test_typing_searches_and_a_key_leads_there(page: Browser) -> None:
    everything = rows(page)
    page.press("/", "/")
    page.call("Input.insertText", text="money CHARGE")
    assert rows(page) == ["charge_card"]
    assert page.ask("document.getElementById('count').textContent") == f"1 of {len(everything)}"
    page.call("Input.insertText", text=" nowhere")
    assert rows(page) == []


def test_a_head_sorts_and_sorts_back(page: Browser) -> None:
    names = page.ask("data.symbols.map(x => x.name).sort()")
    click(page, "#heads button")
    assert [name.rpartition(".")[2] for name in rows(page)] == names
    click(page, "#heads button")
    assert [name.rpartition(".")[2] for name in rows(page)] == names[::-1]
    assert page.ask("heads.children[0].ariaSort") == "descending"


def test_a_module_filters_by_click_and_by_key(page: Browser) -> None:
    everything = rows(page)
    names = page.ask("data.modules.map(x => x.name)")
    click(page, "svg g", names.index("shop/cart.py"))
    assert sorted(rows(page)) == ["Cart", "Cart.add_item", "total_of"]
    assert page.ask("document.querySelectorAll('svg path.in').length") >= 2
    click(page, "#clear")
    assert rows(page) == everything
    page.ask(f"document.querySelectorAll('svg g')[{names.index('pay/charge.py')}].focus()")
    page.press("Enter", "\r")
    assert rows(page) == ["charge_card"]


def test_three_hundred_modules_are_shown_by_folder_and_open_by_a_click(
    browser: Browser, shop: Path, tmp_path: Path
) -> None:
    text = (shop / ".ctx/view.html").read_text("utf-8")
    modules = [
        {
            "name": f"part{at % 12}/inner{at % 5}/m{at}",
            "rank": 0.3,
            "imports": [f"part0/inner0/m{60}"],
        }
        for at in range(300)
    ]
    data = json.dumps(page_data(text) | {"modules": modules}).replace("<", "\\u003c")
    frame = ctx.TEMPLATES["view.html"].partition("{data}")
    (tmp_path / "view.html").write_text(frame[0] + data + frame[2])
    browser.open(tmp_path / "view.html")
    assert browser.faults == []
    assert browser.ask("document.querySelectorAll('svg g').length") == 12
    assert browser.ask("document.querySelectorAll('svg path').length") == 11
    assert browser.ask("document.querySelector('svg g text').textContent") == "part0/ (25)"
    click(browser, "svg g")
    assert browser.ask("document.querySelectorAll('svg g').length") == 12 + 25
    assert "imported by part1" in browser.ask("document.getElementById('relations').textContent")


def test_keys_lead_to_the_sections_and_clear_the_search(page: Browser) -> None:
    page.press("6", "6")
    assert page.ask("document.getElementById('tasks').getBoundingClientRect().top < innerHeight")
    page.press("/", "/")
    page.call("Input.insertText", text="charge")
    assert page.ask("document.querySelector('#tasks .entry:last-child').hidden") is True
    page.press("Escape")
    assert page.ask("document.querySelector('#tasks .entry:last-child').hidden") is False


def test_only_what_the_map_shows_can_be_listed(page: Browser) -> None:
    choose = "const box = document.getElementById('form'); box.value = {}; box.dispatchEvent(new Event('change'))"
    shown = page.ask("data.symbols.filter(x => x.form === 'full').length")
    page.ask("{" + choose.format("'full'") + "}")
    assert len(rows(page)) == shown > 0


def test_a_slice_of_the_bar_opens_its_section(page: Browser) -> None:
    assert page.ask("document.querySelectorAll('details[open]').length") == 0
    click(page, ".bar button")
    assert page.ask("document.querySelector('details[open] b').textContent") == "Contract"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_scheme_and_the_button(
    page: Browser, shop: Path, scheme: str, tmp_path: Path
) -> None:
    page.shoot(tmp_path / "shot.png", 1280, 900, scheme)
    page.open(shop / ".ctx/view.html")
    light = "getComputedStyle(document.body).backgroundColor === 'rgb(246, 247, 249)'"
    assert page.ask(light) is (scheme == "light")
    click(page, "#theme")
    assert page.ask(light) is (scheme == "dark")


def test_a_narrow_screen_needs_no_sideways_scrolling(page: Browser, tmp_path: Path) -> None:
    page.shoot(tmp_path / "shot.png", 340, 700)
    assert page.ask("document.documentElement.scrollWidth <= innerWidth")


# -- completion


def script(shell: str, folder: Path) -> Path:
    """The completion script of a shell, as a file."""
    done = lab.run(folder, "completion", shell)
    assert done.returncode == 0
    return lab.plant(folder, {f"ctx.{shell}": done.stdout}) / f"ctx.{shell}"


def complete_in_bash(place: Path, *words: str) -> list[str]:
    """What a real bash would offer for the last of these words."""
    ask = 'source "$1"; shift; COMP_WORDS=(ctx "$@"); COMP_CWORD=$#; _ctx; echo "${COMPREPLY[*]}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", ask, "bash", str(place), *words], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")


@needs_bash
def test_bash_offers_every_command_and_its_flags(tmp_path: Path) -> None:
    place = script("bash", tmp_path)
    assert set(ctx.list_commands()) <= set(complete_in_bash(place, ""))
    assert complete_in_bash(place, "comp") == ["completion"]
    assert complete_in_bash(place, "--quiet", "map", "--to") == ["--tokens"]
    for name in ctx.list_commands():
        offered = complete_in_bash(place, name, "-")
        assert {names[-1] for names, _ in ctx.parse_command(name)[1] if names[0][0] == "-"} <= set(
            offered
        )


@needs_bash
def test_bash_offers_the_values_of_a_flag(tmp_path: Path) -> None:
    place = script("bash", tmp_path)
    words = complete_in_bash(place, "tasks", "--status", "")
    assert words == ["in_progress", "open", "blocked", "done"]
    assert complete_in_bash(place, "completion", "z") == ["zsh"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_accepts_its_script(shell: str, tmp_path: Path) -> None:
    place = script(shell, tmp_path)
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    done = subprocess.run([shell, "-n", str(place)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_fish_offers_commands_and_values(tmp_path: Path) -> None:
    place = script("fish", tmp_path)
    if not shutil.which("fish"):
        pytest.skip("no fish here")
    ask = f"source {place}; complete -C 'ctx comp'; complete -C 'ctx record T --status '"
    done = subprocess.run(
        ["fish", "--no-config", "-c", ask], cwd=tmp_path, capture_output=True, text=True
    )
    words = {line.partition("\t")[0] for line in done.stdout.splitlines()}
    assert {"completion", "done", "retry", "failed"} <= words
