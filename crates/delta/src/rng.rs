//! Small seeded randomness: the same seed gives the same run on every machine.

/// One step of the SplitMix64 mixing function: a well spread 64-bit value for every input.
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The numbers `0..n` in an order that `seed` decides.
pub(crate) fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..u32::try_from(n).expect("lists have fewer than 2^32 elements")).collect();
    let mut state = seed;
    for last in (1..n).rev() {
        state = mix(state);
        // The bias of the remainder is below n / 2^64.
        order.swap(last, (state % (last as u64 + 1)) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_that_the_seed_decides() {
        let mut sorted = shuffled(100, 7);
        assert_eq!(sorted, shuffled(100, 7));
        assert_ne!(sorted, shuffled(100, 8));
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<u32>>());
    }
}
