"""SciPy's functions without a derivative, by the reason why.

Those of ``ABOUT`` deal with nothing that a gradient could flow through; the results of
those of ``STEPS`` are counts, truth values, or constant between jumps; those of
``REFUSED`` are refused where a Variable requires grad, with the reason in the error.
``OBJECTS`` are classes of what holds no numbers of the user's, or hands them on; one
that makes an ndarray of a Variable stops at the error of the Variable itself.
"""

from srcgrad.errors import NoRuleError, located

ABOUT: dict[str, dict[str, str]] = {
    "scipy.special": {
        "zeros of functions, by their number": "ai_zeros bei_zeros beip_zeros "
        "ber_zeros berp_zeros bi_zeros erf_zeros fresnel_zeros fresnelc_zeros "
        "fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros kei_zeros "
        "keip_zeros kelvin_zeros ker_zeros kerp_zeros y0_zeros y1_zeros y1p_zeros "
        "yn_zeros ynp_zeros",
        "nodes and weights, by their number": "c_roots h_roots he_roots "
        "l_roots p_roots ps_roots roots_chebyc roots_chebys "
        "roots_chebyt roots_chebyu roots_hermite "
        "roots_hermitenorm roots_laguerre roots_legendre roots_sh_chebyt "
        "roots_sh_chebyu roots_sh_legendre s_roots t_roots ts_roots "
        "u_roots us_roots",
        "objects of numpy.poly1d, which take Variables as points": "chebyc chebys "
        "chebyt chebyu hermite hermitenorm laguerre legendre sh_chebyt sh_chebyu "
        "sh_legendre",
        "whole numbers": "bernoulli euler stirling2",
        "settings": "geterr seterr test",
    },
    "scipy.linalg": {
        "new arrays": "dft hadamard helmert hilbert invhilbert invpascal pascal",
        "random numbers": "clarkson_woodruff_transform",
        "settings": "find_best_blas_type get_blas_funcs get_lapack_funcs test",
    },
    "scipy.stats": {
        "random objects": "ortho_group random_correlation random_table "
        "special_ortho_group uniform_direction unitary_group",
        "whole numbers": "multivariate_hypergeom",
        "settings": "test",
    },
    "scipy.signal": {
        "new arrays, by an order": "besselap buttap",
        "new arrays": "firwin_2d max_len_seq unit_impulse",
        "numbers that choose a filter": "kaiserord",
        "whole numbers and methods": "check_COLA check_NOLA choose_conv_method "
        "correlation_lags",
        "settings": "test",
    },
    "scipy.signal.windows": {
        "new arrays, by a number of points": "barthann bartlett blackman "
        "blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall "
        "parzen triang"
    },
    "scipy.fft": {
        "settings": "get_workers set_workers register_backend set_backend "
        "set_global_backend skip_backend test",
        "new arrays": "fftfreq rfftfreq",
        "lengths": "next_fast_len prev_fast_len",
    },
    "scipy.constants": {
        "texts and numbers, by a name": "find precision unit value",
        "settings": "test",
    },
    "scipy.cluster.hierarchy": {
        "pictures, trees": "dendrogram set_link_color_palette to_tree"
    },
    "scipy.stats.contingency": {
        "whole numbers": "association crosstab odds_ratio relative_risk"
    },
    "scipy.interpolate": {"settings": "test"},
    "scipy.integrate": {
        "nodes and weights, by their number": "lebedev_rule",
        "settings": "test",
    },
    "scipy.optimize": {
        "texts, for people": "linprog_verbose_callback show_options",
        "settings": "test",
    },
    "scipy.spatial": {
        "pictures": "convex_hull_plot_2d delaunay_plot_2d voronoi_plot_2d",
        "settings": "test",
    },
    "scipy.spatial.distance": {
        "questions about an array": "is_valid_dm is_valid_y num_obs_dm num_obs_y"
    },
    "scipy.sparse": {
        "new matrices": "eye eye_array identity rand random random_array",
        "questions about an object": "get_index_dtype issparse isspmatrix "
        "isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia "
        "isspmatrix_dok isspmatrix_lil safely_cast_index_arrays",
        "files": "load_npz save_npz",
    },
    "scipy.sparse.linalg": {
        "questions about an object": "is_sptriangular spbandwidth",
        "settings": "test use_solver",
    },
    "scipy.ndimage": {
        "new arrays": "generate_binary_structure iterate_structure",
        "places": "find_objects value_indices",
        "settings": "test",
    },
}

STEPS: dict[str, str] = {
    "scipy.ndimage": "binary_closing binary_dilation binary_erosion "
    "binary_fill_holes binary_hit_or_miss binary_opening binary_propagation "
    "distance_transform_cdt histogram "
    "label maximum_position minimum_position watershed_ift",
    "scipy.cluster.hierarchy": "correspond cut_tree fcluster fclusterdata "
    "is_isomorphic is_monotonic is_valid_im is_valid_linkage leaders leaves_list "
    "num_obs_linkage",
    "scipy.linalg": "bandwidth ishermitian issymmetric",
    "scipy.spatial": "tsearch",
    "scipy.signal": "argrelextrema argrelmax argrelmin find_peaks_cwt findfreqs square",
    "scipy.stats": "rankdata tiecorrect chatterjeexi kendalltau weightedtau spearmanr "
    "spearmanrho kruskal mannwhitneyu ranksums wilcoxon brunnermunzel "
    "mood ansari fligner cramervonmises_2samp ks_2samp "
    "friedmanchisquare somersd page_trend_test percentileofscore "
    "anderson_ksamp barnard_exact boschloo_exact bws_test fisher_exact logrank",
}

# Of these there are as many results as the values will have it: for constant columns,
# or empty ones, some have but one.
OF_ANY_LENGTH = {
    *("argrelextrema", "argrelmax", "argrelmin", "find_peaks_cwt"),
    *("leaders", "spearmanr", "fisher_exact"),
}

OBJECTS: dict[str, dict[str, str]] = {
    "scipy.special": {"settings": "errstate"},
    "scipy.stats": {
        "how p-values are found": "BootstrapMethod MonteCarloMethod PermutationMethod",
        "a base class": "rv_continuous rv_discrete",
        "made of plain numbers alone": "CensoredData",
    },
    "scipy.stats.qmc": {
        "random numbers": "Halton LatinHypercube MultinomialQMC MultivariateNormalQMC "
        "PoissonDisk QMCEngine Sobol"
    },
    "scipy.interpolate": {
        "a base class": "BivariateSpline",
        "SciPy has removed it": "interp2d",
    },
    "scipy.integrate": {"a base class": "DenseOutput OdeSolver"},
    "scipy.optimize": {
        "what is asked of a search, and its answer": "Bounds LinearConstraint "
        "NonlinearConstraint OptimizeResult RootResults",
        "how a search keeps curvature": "BFGS BroydenFirst HessianUpdateStrategy "
        "InverseJacobian KrylovJacobian LbfgsInvHessProduct SR1",
    },
    "scipy.spatial": {"a holder of two corners": "Rectangle"},
    "scipy.sparse": {"a base class": "sparray spmatrix"},
    "scipy.sparse.linalg": {
        "an operator, made of functions": "LaplacianNd LinearOperator",
        "factors, made by splu": "SuperLU",
    },
    "scipy.cluster.hierarchy": {"trees, sets": "ClusterNode DisjointSet"},
}

REFUSED: dict[str, dict[str, str]] = {
    "scipy.integrate": {
        "it steps by hand: write solve_ivp(fun, t_span, y0, t_eval=times)": (
            "complex_ode ode"
        ),
        "it steps by hand: write solve_ivp(fun, t_span, y0, t_eval=times), with this "
        "one's name as `method`": "BDF DOP853 LSODA RK23 RK45 Radau",
        "it joins steps made by hand: write solve_ivp(fun, t_span, y0, "
        "dense_output=True), whose `sol` it is": "OdeSolution",
    },
    "scipy.stats": {
        "it draws what it fits: use anderson, ks_1samp or cramervonmises": (
            "goodness_of_fit"
        ),
        "it goes by ranks of distances, and by draws": "multiscale_graphcorr",
        "it is a step function at the sorted data: use np.sort": "estimated_cdf",
    },
    "scipy.interpolate": {
        "its knots follow the data: give them to LSQSphereBivariateSpline": (
            "SmoothSphereBivariateSpline"
        )
    },
    "scipy.optimize": {
        "it is a step of a search: use minimize or minimize_scalar": "line_search"
    },
    "scipy.sparse": {
        "sparse arrays of Variables have two dimensions: use `.toarray()`": (
            "expand_dims"
        )
    },
}


def refuse(name: str, why: str) -> None:
    """Say why a function has no derivative."""
    raise located(
        NoRuleError(f"srcgrad has no derivative of {name}"),
        why,
    )
