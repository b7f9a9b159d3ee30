/** Deviations in repeated and empty parameters (RFC 5849 section 3.4.1.3.2 keeps both). */
import type { Deviation } from '../deviation.ts';

const stage = 'collect';
const snippet = 'sort';

export const repeats = [
  {
    id: 'duplicates-collapsed-last',
    stage,
    snippet,
    change: { duplicates: 'last' },
    summary: 'Of a field that is sent several times the client signs only the last one.',
    developer: 'Parameters are kept in a map; a repeated name overwrites its predecessor.',
    fix: 'Keep parameters in a list of pairs.',
  },
  {
    id: 'duplicates-collapsed-first',
    stage,
    snippet,
    change: { duplicates: 'first' },
    summary: 'Of a field that is sent several times the client signs only the first one.',
    developer: 'Parameters are kept in a map; a repeated name is ignored.',
    fix: 'Keep parameters in a list of pairs.',
  },
  {
    id: 'copies-dropped',
    stage,
    snippet,
    change: { duplicates: 'copies-dropped' },
    summary: 'A field that is sent twice with the same value is signed only once.',
    developer: 'Values are kept in a set for each name, so equal pairs collapse.',
    fix: 'Keep parameters in a list of pairs.',
  },
  {
    id: 'duplicates-joined-by-comma',
    stage,
    snippet,
    change: { duplicates: 'joined' },
    summary: 'The values of a field that is sent several times are signed as one value.',
    developer: 'Repeated values are joined by a comma: an array was turned into text.',
    fix: 'Sign one pair for each value.',
  },
  {
    id: 'duplicates-with-brackets',
    stage,
    snippet,
    change: { duplicates: 'bracketed' },
    summary: 'A field that is sent several times is signed under another name.',
    developer: 'The name of a repeated parameter has [] in the base string and not on the wire.',
    fix: 'Use the same names for signing and sending.',
  },
  {
    id: 'duplicates-with-indexes',
    stage,
    snippet,
    change: { duplicates: 'indexed' },
    summary: 'A field that is sent several times is signed under numbered names.',
    developer: 'The names of a repeated parameter have [0], [1] and so on in the base string and not on the wire.',
    fix: 'Use the same names for signing and sending.',
  },
  {
    id: 'empty-values-left-out',
    stage,
    snippet,
    change: { empties: 'left-out' },
    summary: 'The client sends empty fields that it does not sign.',
    developer: 'Parameters with an empty value are missing from the base string.',
    fix: 'Sign name= for an empty value, or do not send the field.',
  },
  {
    id: 'empty-values-without-equals',
    stage: 'join',
    snippet,
    change: { empties: 'without-equals' },
    summary: 'The client signs empty fields in another form.',
    developer: 'A parameter with an empty value is in the base string without "=".',
    fix: 'Write name= for an empty value.',
  },
] as const satisfies readonly Deviation[];
