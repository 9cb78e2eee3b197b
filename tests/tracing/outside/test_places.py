"""Where things were found, as a person writes it and as code that finds them again."""

import types

import numpy as np

from srcgrad.tracing.outside.places import (
    Argument,
    Attribute,
    Cell,
    Global,
    Item,
    Known,
)


def found(place, namespace):
    def name(item, hint):
        namespace[f"held_{id(item)}"] = item
        return f"held_{id(item)}"

    parent = "" if place.parent is None else f"({found(place.parent, namespace)[0]})"
    source = place.source(parent, name)
    return source, eval(source, namespace)


def test_each_place_is_found_again():
    model = types.SimpleNamespace(layers=[{"W": 1.0, 2: 3.0}])
    globals_of_a_script = {"model": model}
    cell = types.CellType(model)
    roots = [
        Known("model", model),
        Global("model", globals_of_a_script),
        Cell("model", cell),
    ]
    for root in roots:
        layer = Item(Attribute(root, "layers"), 0)
        assert found(layer, {})[1] is model.layers[0]
        assert found(Item(layer, "W"), {})[1] == 1.0
        assert Item(layer, 2).text == "model.layers[0][2]"
        assert Item(layer, 2).hint == "layers_0_2"


def test_a_global_of_a_module_is_its_attribute():
    place = Global("tanh", vars(np))
    source, value = found(place, {})
    assert source.endswith(".tanh")
    assert value is np.tanh


def test_an_argument_is_a_parameter():
    assert Attribute(Argument("self", 0), "W").text == "self.W"
