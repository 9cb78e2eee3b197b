"""The methods of a Variable that draw samples, and reward them."""

from typing import Any

from srcgrad.errors import located
from srcgrad.tape.stochastic import Sample, bernoulli, multinomial


class Samplable:
    """Samples of a Variable's probabilities or weights, and their rewards."""

    __slots__ = ()

    kept: Any

    def bernoulli(self, rng: Any = None) -> Any:
        """Draw 1 with these probabilities, else 0; the sample takes a reward.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            Where the randomness comes from. Default: NumPy's global one
            (``np.random.seed``).
        """
        return bernoulli(self, rng)

    def multinomial(
        self, num_samples: int = 1, with_replacement: bool = False, rng: Any = None
    ) -> Any:
        """Draw numbers from 0 on with these weights (of each row); they take a reward.

        Parameters
        ----------
        num_samples : int
            How many to draw.
        with_replacement : bool
            Whether a number can be drawn more than once.
        rng : numpy.random.Generator, optional
            Where the randomness comes from. Default: NumPy's global one
            (``np.random.seed``).
        """
        return multinomial(self, num_samples, with_replacement, rng)

    def reinforce(self, reward: Any) -> None:
        """Give a sample its reward, once, before ``backward()``.

        Parameters
        ----------
        reward : number or ndarray
            For the whole sample, or each of its elements.

        Raises
        ------
        RuntimeError
            If this is no sample, or has a reward already.
        TypeError, ValueError
            If the reward does not fit the sample.
        """
        if not isinstance(self.kept, Sample):
            raise located(
                RuntimeError(
                    "reinforce() can be only called on outputs of stochastic functions"
                )
            )
        self.kept.node.reinforce(reward)
