/**
 * The design of every page: report.html, desk, comparison and history read their colours, sizes and distances from here.
 *
 * Colour: `--page` `--card` `--inset` grounds, `--line` borders, `--text` `--muted` `--link` ink, and for each outcome ink and
 * ground: `--pass` `--pass-ground`, likewise `fail`, `inconclusive`, `error` and `none`. `--mark` is the ground of a difference.
 * Type: `--sans` `--mono`, sizes `--type-1` (13 px) to `--type-6` (conclusions). Space: `--space-1` (4 px) to `--space-7` (48 px).
 * Shape: `--round-1` for values, `--round-2` for controls and code, `--round-3` for cards; `--lift` is their shadow.
 *
 * Components (components-style.ts; those with text in them are made by components.ts): `.card` with an outcome for its edge,
 * `.badge` with an outcome, `.pill` a filter button with `aria-pressed`, `.pills` a row of them, `.fold` a disclosure, `.code`
 * text under a caption with `<mark>` on a difference, `.hex` bytes, `.facts` labelled values, `.value` a foreign value,
 * `.command` a text with its copy button, `.note` a sentence that asks for attention, `.count`, `.muted`, `.caption`.
 */

/** Text colours keep a contrast of at least 4.5 on every ground in use (WCAG 2.2, 1.4.3); a unit test computes it. */
export const tokens = `
:root {
  color-scheme: light dark;
  --page: #f5f6f9; --card: #ffffff; --inset: #f3f5f8; --line: #dbe0e8; --text: #161a22; --muted: #545c6b; --link: #1450b8;
  --pass: #0c6430; --pass-ground: #e0f4e7; --fail: #ad1019; --fail-ground: #fdebeb; --inconclusive: #744900;
  --inconclusive-ground: #fdf1d5; --error: #75209a; --error-ground: #f5e9fb; --none: #545c6b; --none-ground: #eaedf2;
  --mark: #ffe89a;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  --type-1: .8125rem; --type-2: .9rem; --type-3: 1rem; --type-4: 1.15rem; --type-5: 1.4rem; --type-6: clamp(1.6rem, 1.1rem + 2.2vw, 2.25rem);
  --space-1: .25rem; --space-2: .5rem; --space-3: .75rem; --space-4: 1rem; --space-5: 1.5rem; --space-6: 2rem; --space-7: 3rem;
  --round-1: 4px; --round-2: 7px; --round-3: 12px;
  --lift: 0 1px 2px rgb(20 26 40 / .06), 0 2px 8px rgb(20 26 40 / .05);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1217; --card: #171b22; --inset: #11151b; --line: #323a47; --text: #e7eaf0; --muted: #a6afbc; --link: #8cb9ff;
    --pass: #6fd391; --pass-ground: #12301d; --fail: #ff9792; --fail-ground: #44191b; --inconclusive: #f2c365;
    --inconclusive-ground: #3a2d0c; --error: #dfa4f7; --error-ground: #361b43; --none: #a6afbc; --none-ground: #262d38;
    --mark: #5a4806; --lift: none;
  }
}
@media print {
  :root { --page: #ffffff; --card: #ffffff; --inset: #ffffff; --lift: none; --type-3: 10pt; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
@media (prefers-reduced-motion: no-preference) {
  :root { --quick: 120ms; }
}
`;
