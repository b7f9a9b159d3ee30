/** Five hundred values that a subject may send to attack the reader of a report, the same in each run. */
const alerts = ['alert(1)', 'confirm`1`', "fetch('http://127.0.0.1:9/stolen')", "import('http://127.0.0.1:9/x.js')"];

const shells = [
  '<script>!</script>',
  '</script><script>!</script>',
  ']]><script>!</script>',
  '--><script>!</script><!--',
  '</style><script>!</script>',
  '</textarea><script>!</script>',
  '</title><svg onload="!">',
  '<img src=http://127.0.0.1:9/x.png onerror=!>',
  '"><img src=x onerror="!">',
  "'><svg/onload=!>",
  '" autofocus onfocus="!" x="',
  "' onmouseover='!' '",
  'javascript:!',
  '<a href="javascript:!">click</a>',
  '<iframe srcdoc="<script>!</script>"></iframe>',
  '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
  '<link rel=stylesheet href=http://127.0.0.1:9/x.css>',
  '<base href="http://127.0.0.1:9/">',
  '<form action="http://127.0.0.1:9/"><button>!</button></form>',
  '<details open ontoggle="!">',
  '{{constructor.constructor("!")()}}',
  `\${!}`,
  '@import url(http://127.0.0.1:9/x.css);',
  'x:url(http://127.0.0.1:9/x.png)',
  '\\u003cscript\\u003e!\\u003c/script\\u003e',
];

const wrappings = ['!', '\u001b[2J\u001b]0;!\u0007', '\u202e!\u2066\u200f', 'a\u0000!\u0000', '!\r\n\u2028\ud83d'];

export const hostileValues: readonly string[] = shells.flatMap((shell) =>
  alerts.flatMap((alert) => wrappings.map((wrapping) => fill(wrapping, fill(shell, alert)))),
);

function fill(shell: string, content: string): string {
  return shell.split('!').join(content);
}
