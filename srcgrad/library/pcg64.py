"""The generator behind ``numpy.random.default_rng``, PCG64, and NumPy's draws from it, as text for Numba.

M. E. O'Neill, PCG: A family of simple fast space-efficient statistically good algorithms for random number generation,
2014; G. Marsaglia and W. W. Tsang, The ziggurat method, 2000; D. Lemire, Fast random integer generation in an interval,
2019. Numbers of 128 bits are two words of 64, the lower first.
"""

from __future__ import annotations

TABLES = """from numba.np.random._constants import fe_double, fi_double, ke_double, ki_double, we_double, wi_double
"""

PRODUCT = '''def high_word(a, b):
    """The upper 64 bits of a product of two words."""
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    a0, a1 = a & low, a >> half
    b0, b1 = b & low, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    other = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> half) + (other >> half)
'''

STEP = '''def pcg64_step(words):
    """The linear congruence, modulo 2**128."""
    m0, m1 = np.uint64(0x4385DF649FCCF645), np.uint64(0x2360ED051FC65DA4)
    s0, s1 = words[0], words[1]
    low = s0 * m0
    high = high_word(s0, m0) + s0 * m1 + s1 * m0
    total = low + words[2]
    carry = np.uint64(1) if total < low else np.uint64(0)
    words[0] = total
    words[1] = high + words[3] + carry
'''

NEXT = '''def pcg64_next(words):
    """64 random bits."""
    pcg64_step(words)
    mixed = words[0] ^ words[1]
    turn = words[1] >> np.uint64(58)
    return (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
'''

NEXT_HALF = '''def pcg64_next_half(words, half):
    """32 random bits: the half that is left over, or half of 64."""
    if half[0] & np.uint64(1):
        half[0] = half[0] & np.uint64(0xFFFFFFFF00000000)
        return half[0] >> np.uint64(32)
    drawn = pcg64_next(words)
    half[0] = (drawn & np.uint64(0xFFFFFFFF00000000)) | np.uint64(1)
    return drawn & np.uint64(0xFFFFFFFF)
'''

UNIT = '''def pcg64_unit(words):
    """Uniform in [0, 1)."""
    return np.float64(pcg64_next(words) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
'''

BELOW = '''def pcg64_up_to(words, half, last):
    """An integer from 0 to ``last``, which has 32 bits."""
    if last == 0:
        return np.uint64(0)
    if last == 0xFFFFFFFF:
        return pcg64_next_half(words, half)
    count = np.uint64(last) + np.uint64(1)
    low = np.uint64(0xFFFFFFFF)
    m = pcg64_next_half(words, half) * count
    if m & low < count:
        least = (low - np.uint64(last)) % count
        while m & low < least:
            m = pcg64_next_half(words, half) * count
    return m >> np.uint64(32)
'''

INTERVAL = '''def pcg64_masked(words, half, last):
    """An integer from 0 to ``last``, of 32 bits: those that are too large are thrown away."""
    mask = np.uint64(last)
    for bits in (1, 2, 4, 8, 16):
        mask |= mask >> np.uint64(bits)
    while last > 0:
        drawn = pcg64_next_half(words, half) & mask
        if drawn <= np.uint64(last):
            return drawn
    return np.uint64(0)
'''

NORMAL = '''def pcg64_normal(words):
    """Standard normal, by a ziggurat of 256 layers."""
    while True:
        r = pcg64_next(words)
        layer = np.int64(r & np.uint64(0xFF))
        negative = (r >> np.uint64(8)) & np.uint64(1)
        size = (r >> np.uint64(9)) & np.uint64(0x000FFFFFFFFFFFFF)
        x = np.float64(size) * wi_double[layer]
        if negative:
            x = -x
        if size < ki_double[layer]:
            return x
        if layer == 0:
            while True:
                a = -0.27366123732975828 * np.log1p(-pcg64_unit(words))
                b = -np.log1p(-pcg64_unit(words))
                if b + b > a * a:
                    tail = 3.6541528853610088 + a
                    return -tail if (size >> np.uint64(8)) & np.uint64(1) else tail
        elif (fi_double[layer - 1] - fi_double[layer]) * pcg64_unit(words) + fi_double[layer] < np.exp(-0.5 * x * x):
            return x
'''

EXPONENTIAL = '''def pcg64_exponential(words):
    """Standard exponential, by a ziggurat of 256 layers."""
    while True:
        r = pcg64_next(words) >> np.uint64(3)
        layer = np.int64(r & np.uint64(0xFF))
        size = r >> np.uint64(8)
        x = np.float64(size) * we_double[layer]
        if size < ke_double[layer]:
            return x
        if layer == 0:
            return 7.69711747013104972 - np.log1p(-pcg64_unit(words))
        if (fe_double[layer - 1] - fe_double[layer]) * pcg64_unit(words) + fe_double[layer] < np.exp(-x):
            return x
'''

SEED = '''def pcg64_seed(seed, words, half):
    """The state after a seed, by NumPy's SeedSequence; its arithmetic is that of 32 bits."""
    mask = np.uint64(0xFFFFFFFF)
    high = np.uint64(16)
    pool = np.zeros(4, np.uint64)
    pool[0], pool[1] = np.uint64(seed) & mask, np.uint64(seed) >> np.uint64(32)
    factor = np.uint64(0x43B0D7E5)
    for i in range(4):
        mixed = pool[i] ^ factor
        factor = factor * np.uint64(0x931E8875) & mask
        mixed = mixed * factor & mask
        pool[i] = mixed ^ mixed >> high
    for source in range(4):
        for target in range(4):
            if source != target:
                mixed = pool[source] ^ factor
                factor = factor * np.uint64(0x931E8875) & mask
                mixed = mixed * factor & mask
                mixed = mixed ^ mixed >> high
                mixed = (np.uint64(0xCA01F9DD) * pool[target] - np.uint64(0x4973F715) * mixed) & mask
                pool[target] = mixed ^ mixed >> high
    factor = np.uint64(0x8B51F9DD)
    drawn = np.zeros(4, np.uint64)
    for i in range(8):
        mixed = pool[i % 4] ^ factor
        factor = factor * np.uint64(0x58F38DED) & mask
        mixed = mixed * factor & mask
        mixed = mixed ^ mixed >> high
        drawn[i // 2] |= mixed << np.uint64(32 * (i % 2))
    one = np.uint64(1)
    words[2], words[3] = drawn[3] << one | one, drawn[2] << one | drawn[3] >> np.uint64(63)
    words[0], words[1] = np.uint64(0), np.uint64(0)
    pcg64_step(words)
    before = words[0]
    words[0] = before + drawn[1]
    words[1] = words[1] + drawn[0] + (one if words[0] < before else np.uint64(0))
    pcg64_step(words)
    half[0] = np.uint64(0)
'''
