/**
 * The rank-sum test of Mann, Whitney and Wilcoxon, as a standard normal variable: how likely one of two samples tends
 * to be greater. Values beyond 3.29 on either side occur by chance in one of 1,000 cases. For large samples.
 */
export function rankSum(first, second) {
  const all = [...first.map((value) => ({ value, isFirst: true })), ...second.map((value) => ({ value }))]
  all.sort((a, b) => a.value - b.value)
  let sum = 0
  let ties = 0
  for (let from = 0, to = 0; from < all.length; from = to) {
    while (to < all.length && all[to].value === all[from].value) to++
    // Equal values share their ranks.
    const rank = (from + 1 + to) / 2
    sum += rank * all.slice(from, to).filter(({ isFirst }) => isFirst).length
    ties += (to - from) ** 3 - (to - from)
  }
  const [m, n, count] = [first.length, second.length, all.length]
  const variance = ((m * n) / 12) * (count + 1 - ties / (count * (count - 1)))
  return variance === 0 ? 0 : (sum - (m * (count + 1)) / 2) / Math.sqrt(variance)
}
