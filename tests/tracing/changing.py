"""Changes of the world around a function, and how to take them back."""

from tests.tracing.comparing import X, plain


def steps(function, change, x=X):
    """Results before and after a change, each twice."""
    before = [plain(function(x)) for _ in range(3)]
    undo = change()
    try:
        return before, [plain(function(x)) for _ in range(3)]
    finally:
        undo()


def rebind(namespace, name, value):
    """Rebind a global of a file, or give it one more."""

    def change():
        had, old = name in namespace, namespace.get(name)
        namespace[name] = value

        def undo():
            if had:
                namespace[name] = old
            else:
                del namespace[name]

        return undo

    return change


def set_attribute(item, name, value):
    def change():
        old = getattr(item, name)
        setattr(item, name, value)
        return lambda: setattr(item, name, old)

    return change


def change_item(container, key, value):
    def change():
        old = container[key]
        container[key] = value
        return lambda: container.__setitem__(key, old)

    return change
