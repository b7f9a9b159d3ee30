/** An autopsy on the page: what the client does, how to put it right in its language, and where the base strings part. */
import { type Autopsy, type Language, languageNames, lineEndLeftOut } from '../../autopsy/index.ts';
import { codeBlock } from '../../report/pages/exchange-view.ts';
import { element, facts, html, type Markup, value } from '../../report/pages/page.ts';
import { visible } from '../../report/visible.ts';

export function foundOnPage(found: Autopsy, remarks: readonly string[], language?: Language): Markup {
  const { verified, deviations, malformations, signature, alternatives = [], dialects = [] } = found;
  return html`<div>
    <div class=${`card ${verified ? 'pass' : 'fail'}`} id="verdict"><h2>${verdict(found)}</h2>
      <p class="caption">${[...deviations.map(({ id }) => id), about(found)].join(' · ')}</p>
    </div>
    ${deviations.map(
      ({ id, developer, fix, snippet }) => html`<section class="card"><h3>${id}</h3>
        ${facts([
          ['What happens', visible(developer)],
          ['What to do', fix],
        ])}
        ${snippet === undefined ? null : codeBlock(element, `How to do it right in ${languageNames[language!]}`, snippet)}
      </section>`,
    )}
    ${alternatives.length === 0 ? null : html`<p class="note">On this request these give the same bytes too: ${alternatives.map((ids) => ids.join(' + ')).join('; ')}.</p>`}
    ${dialects.length === 0 ? null : html`<p>This is how it comes out of ${dialects.map(({ library }) => library).join('; ')}.</p>`}
    ${malformations.map(
      ({ id, statement, expected, actual, fix }) => html`<section class="card fail"><h3>${id}</h3><p>${statement}</p>
        ${facts([
          ['Expected', value(expected)],
          ['Received', value(actual)],
          ['What to do', fix],
        ])}
      </section>`,
    )}
    ${[...remarks, ...found.facts.map(({ text }) => text)].map((text) => html`<p class="note">${visible(text)}</p>`)}
    ${signature === 'right' || deviations.length > 0 ? null : nothing(found)}
    ${signature === 'right' ? null : baseStrings(found)}
  </div>`;
}

function verdict({ verified, signature, deviations, malformations, facts: found }: Autopsy): string {
  if (verified)
    return `✓ The signature is right${found.includes(lineEndLeftOut) ? ' without the last line end of the text' : ''}`;
  const [malformed] = malformations;
  if (signature === 'right') return `✗ The signature is right, but the request is malformed: ${malformed!.statement}`;
  return `✗ ${deviations.map(({ summary }) => summary).join(' ') || 'The signature is not right, and nothing explains it'}`;
}

function about({ operation, signatureMethod }: Autopsy): string {
  return [operation === 'other' ? '' : operation, visible(signatureMethod)].filter((part) => part !== '').join(', ');
}

function nothing({ triedCount }: Autopsy): Markup {
  if (triedCount === 0) return null;
  return html`<p>${triedCount.toLocaleString('en-US')} ways to sign were computed; none gives this signature. What cannot be seen from here: another secret or key, a body or URL that was altered on the way, or a mistake that has no name yet.</p>`;
}

function baseStrings({ baseString, signedBaseString }: Autopsy): Markup {
  if (baseString === '') return null;
  const right = visible(baseString);
  const signed = signedBaseString === undefined ? undefined : visible(signedBaseString);
  return html`<section class="card"><h3>Base string</h3>
    ${codeBlock(element, 'As RFC 5849 makes it of this request', right, signed)}
    ${signed === undefined ? null : codeBlock(element, 'As the client signed it', signed, right)}
  </section>`;
}
