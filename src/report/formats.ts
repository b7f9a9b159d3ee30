/** The report files of a run. The function that writes a file is loaded when it is needed. */
import { resultDocument } from './result-document.ts';
import type { ReportedRun } from './words.ts';

export const formats: readonly { readonly file: string; readonly write: (run: ReportedRun) => Promise<string> }[] = [
  { file: 'junit.xml', write: async (run) => (await import('./junit.ts')).junitReport(run.result, run) },
  { file: 'ctrf.json', write: async (run) => (await import('./ctrf.ts')).ctrfReport(run.result, run) },
  {
    file: 'summary.md',
    write: async (run) => (await import('./markdown.ts')).markdownText(resultDocument(run.result, run)),
  },
  { file: 'report.html', write: async (run) => (await import('./pages/report-page.ts')).htmlReport(run.result, run) },
  { file: 'report.json', write: async ({ result }) => (await import('./json.ts')).jsonReport(result) },
];
