/** The report files of a run. Imports report-page.ts only if it is needed, because that module loads preact. */
import { ctrfReport, junitReport } from './ci.ts';
import { jsonReport } from './json.ts';
import { markdownText } from './markdown.ts';
import type { ReportedRun } from './phrases.ts';
import { resultDocument } from './result-document.ts';

export const formats: readonly { readonly file: string; readonly write: (run: ReportedRun) => Promise<string> }[] = [
  { file: 'junit.xml', write: async (run) => junitReport(run.result, run) },
  { file: 'ctrf.json', write: async (run) => ctrfReport(run.result, run) },
  { file: 'summary.md', write: async (run) => markdownText(resultDocument(run.result, run)) },
  { file: 'report.html', write: async (run) => (await import('./pages/report-page.ts')).htmlReport(run.result, run) },
  { file: 'report.json', write: async ({ result }) => jsonReport(result) },
];
