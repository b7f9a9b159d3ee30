/** `countersign rekey`: a copy of a run that can be shown to anybody and is still judged alike. */
import { createPublicKey, randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { ProfileName } from '../../contracts/profiles/index.ts';
import type { Result } from '../result/result.ts';
import { secretsIn } from '../run/canary/secrets-of.ts';
import { type JudgedRecordings, judgeRecordings } from '../run/judge/judge-recordings.ts';
import { knownConsumerKey, originalKeys } from '../run/rekey/original-keys.ts';
import { type Rekeyed, rekeyRecordings } from '../run/rekey/rekey-recordings.ts';
import { completeRunOptions } from '../run/run-options.ts';
import { suite } from '../run/suite-version.ts';
import { writeReport } from '../run/write-report.ts';
import { type GivenKeys, judgingKeys } from './judging-keys.ts';
import { type ReadFiles, readRecordings } from './recording-files.ts';
import { makeReportFolder } from './report-folder.ts';
import { knownProfile } from './run-flags.ts';
import type { CommandSurroundings } from './surroundings.ts';
