"""The page in a browser: what lights up, by mouse and keyboard, and what it looks like.

Needs Chromium and playwright (``pip install playwright``; no browser of its own).
"""

import importlib.util
import re
import shutil

import numpy as np
import pytest

import srcgrad
from tests.tracing.report import report_programs as programs

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
NAMES = "chromium", "chromium-browser", "google-chrome"
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
if CHROMIUM is None:
    pytest.skip(f"needs one of {', '.join(NAMES)}", allow_module_level=True)

# As root, and where there is no network.
OPTIONS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()

HOSTILE = """\
import numpy as np
def hostile(x):
\t# </script><script>window.harm = 1</script> <!-- ]]> &amp; </style>
\tß = np.sin(x) * x  # "quotes' <img src=x onerror="window.harm=1"> {{}} \u202e
\tname = '</title><b onmouseover="window.harm=1">é 😀</b>'; y = ß + len(name)
\tz = (
\t\ty  \x0c
\t\t* 2.0)
\tz = z * {long}
\treturn np.sum(z)
""".replace("{long}", " * ".join(["1.0"] * 160))


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens a report; afterwards the browser must have had nothing to complain of."""
    told, requests, pages = [], [], []

    def opened(function, *args, text=None, **options):
        path = tmp_path / "page.html"
        if text is None:
            function.report(path, *args)
        else:
            path.write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": 1700, "height": 900}, **options)
        pages.append(page)
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("dialog", lambda dialog: told.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for page in pages:
        page.close()
    assert told == []
    assert {url for url in requests if not url.startswith("file:")} <= {"about:srcdoc"}


@pytest.fixture(scope="module")
def rnn():
    W, x = srcgrad.Variable(np.eye(3) / 2, requires_grad=True), np.ones((40, 3))
    function = srcgrad.trace(programs.rnn)
    for _ in range(3):
        function(W, x, 0.1)
    return function, W, x, 0.1


def line(page, pane, text):
    """The line of a pane that has a text."""
    return page.locator(f"[data-pane][aria-label='{pane}'] .l", has_text=text).first


def lit(page, selector=".l.on"):
    """What is lit, without the numbers of lines and the costs."""
    found = page.eval_on_selector_all(
        selector,
        """all => all.map(each => {
            const copy = each.cloneNode(true);
            copy.querySelectorAll(".n, .cost").forEach(part => part.remove());
            return copy.textContent.trim();
        })""",
    )
    return [text for text in found if not text.startswith("#")]


USER, FORWARD, BACKWARD = "Your source", "Generated: forward", "Generated: backward"
TANH = [
    "return np.tanh(z)",
    *("h = np.tanh(z)", "zs.append(z)"),
    "cosh = np.cosh(np.minimum(np.abs(z_1), 709.0))",
    "dz = dh / cosh / cosh",
]


# ----- The mouse -----


@pytest.mark.parametrize(
    ("pane", "text"),
    [
        (USER, "return np.tanh(z)"),
        (FORWARD, "h = np.tanh(z)"),
        (BACKWARD, "dz = dh"),
    ],
)
def test_pointing_at_a_line_lights_its_counterparts(open_page, rnn, pane, text):
    page = open_page(rnn[0])
    assert lit(page) == []
    line(page, pane, text).hover()
    assert lit(page) == TANH
    assert "h = tanh(z)" in "".join(lit(page, "svg g.on"))
    page.locator("h1").hover()
    assert lit(page) == []


def test_pointing_at_a_step_of_the_graph_lights_its_lines_and_edges(open_page, rnn):
    page = open_page(rnn[0])
    page.locator("svg g.step", has_text="h = tanh(z)").hover()
    assert lit(page) == TANH
    assert page.locator("svg path.on").count() >= 2


def test_a_click_holds_a_line(open_page, rnn):
    page = open_page(rnn[0])
    line(page, USER, "return np.tanh").click()
    line(page, USER, "total = np.sum(h)").hover()
    assert "total = np.add.reduce(h, axis=None)" in lit(page)
    page.locator("h1").hover()
    assert lit(page) == TANH


def test_what_is_said_of_a_line_is_lit_with_it(open_page, rnn):
    page = open_page(rnn[0])
    line(page, USER, "if total > limit:").hover()
    (said,) = lit(page, ".facts dd.on")
    assert said.startswith("report_programs.py:21: if total > limit:")


# ----- The keyboard -----


def focused(page):
    return page.evaluate("document.activeElement.textContent.trim()")


def test_keys_go_from_line_to_line_and_to_counterparts(open_page, rnn):
    page = open_page(rnn[0])
    page.keyboard.press("Tab")  # the head of the trace
    page.keyboard.press("Tab")
    assert focused(page).endswith("z = W @ h + x")
    assert "z = W @ h + part" in lit(page)
    page.keyboard.press("ArrowDown")
    assert lit(page) == TANH
    for key, end in (
        ("ArrowRight", "# report_programs.py:13: return np.tanh(z)"),
        ("ArrowRight", "# report_programs.py:13: return np.tanh(z)"),
        ("ArrowLeft", "# report_programs.py:13: return np.tanh(z)"),
        ("ArrowLeft", "return np.tanh(z)"),
        ("Home", "z = W @ h + x"),
        ("ArrowUp", "z = W @ h + x"),
    ):
        page.keyboard.press(key)
        assert focused(page).endswith(end)
    page.keyboard.press("Escape")
    assert lit(page) == []


def test_each_pane_is_one_stop_of_the_tabulator(open_page, rnn):
    page = open_page(rnn[0])
    stops = []
    for _ in range(6):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            "document.activeElement.closest('[data-pane]')?.ariaLabel || "
            "document.activeElement.tagName"
        )
        stops.append(stop)
    assert stops[:4] == ["SUMMARY", USER, FORWARD, BACKWARD]
    assert not {USER, FORWARD, BACKWARD} & {*stops[4:]}


# ----- What is hostile, what is long -----


def program(tmp_path, text, name):
    path = tmp_path / f"{name}_program.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_whatever_is_in_the_source_is_shown_as_it_is(open_page, tmp_path):
    function = srcgrad.grad(program(tmp_path, HOSTILE, "hostile"))
    page = open_page(function, np.ones(2))
    shown = page.eval_on_selector_all(
        f"[aria-label='{USER}'] .l",
        "all => all.map(each => [...each.childNodes].filter(part => !part.matches"
        "?.('.n, .cost')).map(part => part.textContent).join(''))",
    )
    assert shown[: len(HOSTILE.split("\n")) - 2] == HOSTILE.split("\n")[1:-1]
    assert page.evaluate("window.harm") is None
    line(page, USER, "ß = np.sin").hover()
    assert page.evaluate("window.harm") is None
    assert "np.cos(x)" in "\n".join(lit(page))
    assert page.locator("b[onmouseover], img, body > script ~ *").count() == 0


def test_a_long_line_is_reached_by_scrolling_in_its_pane(open_page, tmp_path):
    function = srcgrad.grad(program(tmp_path, HOSTILE, "hostile"))
    page = open_page(function, np.ones(2))
    pane = f"[aria-label='{USER}']"
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert page.eval_on_selector(pane, "each => each.scrollWidth > each.clientWidth")
    # A lit line is lit to its end.
    line(page, USER, "z = z * 1.0").hover()
    widths = page.eval_on_selector_all(
        f"{pane} .l", "all => all.map(e => e.offsetWidth)"
    )
    assert len(set(widths)) == 1


@pytest.fixture(scope="module")
def long_function(tmp_path_factory):
    """Its module has more than 2,000 lines."""
    lines = ["import numpy as np", "def long(x):"]
    for k in range(340):
        lines += [f"    y_{k} = np.tanh(x) * {k + 0.5}", f"    x = x + y_{k}"]
    text = "\n".join([*lines, "    return np.sum(x)", ""])
    function = srcgrad.trace(program(tmp_path_factory.mktemp("long"), text, "long"))
    for _ in range(2):
        function(srcgrad.Variable(np.ones(2), requires_grad=True))
    assert function.source().count("\n") > 2000
    return function


def test_counterparts_in_a_long_module_are_scrolled_to(open_page, long_function):
    page = open_page(long_function)
    line(page, USER, "y_200 = np.tanh(x)").click()
    for pane in (FORWARD, BACKWARD):
        tops = page.evaluate(
            """pane => {
                const frame = document.querySelector(`[aria-label='${pane}']`);
                const on = frame.querySelector(".l.on").getBoundingClientRect();
                const around = frame.getBoundingClientRect();
                return [around.top <= on.top, on.bottom <= around.bottom];
            }""",
            pane,
        )
        assert tops == [True, True]
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    assert "x = x + y_202" in lit(page)
    page.keyboard.press("End")
    assert "return np.sum(x)" in lit(page)


# ----- Colours -----
CONTRASTS = """() => {
    const style = getComputedStyle(document.documentElement);
    const probe = document.body.appendChild(document.createElement("span"));
    const rgb = (name) => {
        probe.style.color = style.getPropertyValue(name);
        return getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3).map(Number);
    };
    const light = (name) => {
        const [r, g, b] = rgb(name).map((each) => {
            const part = each / 255;
            return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const inks = ["text", "muted", "keyword", "string", "number", "comment", "function",
        "builtin", "operator"];
    const pairs = [];
    for (const ink of inks) for (const paper of ["pane", "page", "lit"]) {
        pairs.push([ink, paper]);
    }
    for (const paper of ["bar", "step", "back", "value", "guard"]) {
        pairs.push(["text", paper]);
    }
    const found = {};
    for (const [ink, paper] of pairs) {
        const [a, b] = [light(`--${ink}`), light(`--${paper}`)].sort((x, y) => y - x);
        found[`${ink} on ${paper}`] = (a + 0.05) / (b + 0.05);
    }
    return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_can_be_read_in_light_and_dark(open_page, rnn, scheme):
    page = open_page(rnn[0], color_scheme=scheme)
    found = page.evaluate(CONTRASTS)
    assert {pair: ratio for pair, ratio in found.items() if ratio < 4.5} == {}


def test_light_and_dark_differ(open_page, rnn):
    colours = [
        open_page(rnn[0], color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert len(set(colours)) == 2


# ----- Costs, notebooks -----


def test_costs_stand_beside_lines(open_page, rnn):
    page = open_page(*rnn)
    cost = line(page, USER, "return np.tanh(z)").locator(".cost")
    assert re.fullmatch(r"[\d.]+ (ns|µs|ms)40\u00d7[\d.]+ [km]?B", cost.text_content())
    title = cost.get_attribute("title")
    assert "runs 40 times" in title


def test_in_a_notebook_the_page_is_a_frame(open_page, rnn):
    parts = (
        rnn[0]._repr_html_(),
        rnn[0].source()._repr_html_(),
        rnn[0].explain()._repr_html_(),
    )
    page = open_page(None, text=f"<!DOCTYPE html><body><p>Above</p>{''.join(parts)}")
    frame, source, explanation = page.frames[1:]
    frame.locator(".l", has_text="return np.tanh(z)").first.hover()
    assert frame.locator(".l.on").count() > 4
    assert "def forward" in source.locator(".lines").text_content()
    assert "both arms" in explanation.locator("body").text_content()
    assert page.evaluate("getComputedStyle(document.body).margin") == "8px"
