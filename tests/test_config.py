"""What the environment asks for, and that it is asked once."""

import dataclasses
import runpy

import pytest

import srcgrad.config as module

VARIABLES = (
    "SRCGRAD_VERIFY",
    "SRCGRAD_DEBUG",
    "SRCGRAD_MAX_TRACES",
    "SRCGRAD_NATIVE",
)


@pytest.fixture(autouse=True)
def _without_variables(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def read():
    """What a process that starts now would find."""
    return runpy.run_path(module.__file__)["config"]


def test_without_variables_there_are_defaults():
    config = read()
    assert (config.verify, config.debug, config.max_traces) == (False, False, 64)
    assert config.native is None


@pytest.mark.parametrize(
    ("text", "mode"), [("now", "now"), ("1", True), ("0", False), ("", False)]
)
def test_machine_code_is_made_now_or_when_it_is_worth_it(monkeypatch, text, mode):
    monkeypatch.setenv("SRCGRAD_NATIVE", text)
    assert read().native == mode


@pytest.mark.parametrize("name", ["verify", "debug"])
@pytest.mark.parametrize(
    ("text", "is_on"),
    [
        *(("1", True), ("true", True), ("yes", True), ("On", True)),
        *(("", False), ("0", False), ("False", False), ("no", False), ("OFF", False)),
    ],
)
def test_switches(monkeypatch, name, text, is_on):
    monkeypatch.setenv(f"SRCGRAD_{name.upper()}", text)
    assert getattr(read(), name) is is_on


def test_the_number_of_traces(monkeypatch):
    monkeypatch.setenv("SRCGRAD_MAX_TRACES", "3")
    assert read().max_traces == 3
    monkeypatch.setenv("SRCGRAD_MAX_TRACES", "three")
    with pytest.raises(ValueError, match="three"):
        read()


def test_it_does_not_change_afterwards(monkeypatch):
    before = module.config.max_traces
    monkeypatch.setenv("SRCGRAD_MAX_TRACES", str(before + 1))
    assert module.config.max_traces == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        module.config.verify = True
