/** The ledger of one run that nobody else shares: what the file would add up to, kept as running sums. */
import { nothingSpent, partOf, type Spent, spend, sum } from '../../run/allowance/budget.ts';
import { type Ledger, whyNoRoom } from '../../run/allowance/ledger.ts';
import type { ByOperation, LedgerBalance } from '../../run/allowance/ledger-lines.ts';
import type { WorstEffect } from '../../run/allowance/worst-case.ts';

interface Reserved {
  readonly worst: WorstEffect;
  readonly what: string;
  readonly settles: boolean;
}

/** Begun, and without a run before it. */
export function ledgerInMemory(): Ledger {
  const reserved: Reserved[] = [];
  // What was given back on the target's word counts all the same once its right request was not accepted.
  let [kept, refused, unreadable, confirmed, elsewhere] = Array.from({ length: 5 }, () => nothingSpent) as Five;
  let refusals: ByOperation<number> = { closesDay: 0, payments: 0 };
  let [distrusted, proven] = [nobody, nobody];
  let open = 0;
  let wrong: LedgerBalance['wrong'] = { spent: nothingSpent, closesDay: [], payments: [] };
  return {
    balance: () => ({
      spent: sum(kept, partOf(refused, distrusted)),
      carried: nothingSpent,
      examined: nothingSpent,
      confirmed,
      unreadable,
      disbelieved: partOf(refused, distrusted),
      refused: partOf(refused, { closesDay: !distrusted.closesDay, payments: !distrusted.payments }),
      elsewhere,
      refusals,
      proven,
      unclear: open,
      begun: true,
      superseded: false,
      wrong,
    }),
    begin() {},
    forgetUnfinished() {},
    end() {},
    reserve(worst, allow, what, { settles = false, keep } = {}) {
      const { spent, disbelieved } = this.balance();
      const exceeds = worst.unknown
        ? undefined
        : whyNoRoom(worst, { spent, unreadable, disbelieved, wrong }, allow, keep);
      if (exceeds !== undefined) return exceeds;
      kept = spend(kept, worst);
      open += 1;
      return { id: reserved.push({ worst, what, settles }) - 1 };
    },
    settle(id, { event, by, wrongly, unreadable: isUnreadable }) {
      const { worst, what, settles } = reserved[id]!;
      const own = { closesDay: worst.effect === 'closes-day', payments: worst.effect === 'starts-payments' };
      if (settles) {
        if (event === 'confirm') proven = either(proven, own);
        else distrusted = either(distrusted, own);
      }
      if (event !== 'unclear') open -= 1;
      if (event === 'confirm') confirmed = spend(confirmed, worst);
      if (wrongly) {
        const place = own.closesDay ? 'closesDay' : 'payments';
        wrong = { ...wrong, spent: spend(wrong.spent, worst), [place]: [...wrong[place], what] };
      }
      if (event === 'unclear' && isUnreadable) unreadable = spend(unreadable, worst);
      if (event !== 'release') return;
      kept = without(kept, worst);
      if (by !== 'target') return;
      if (worst.unknown) {
        elsewhere = spend(elsewhere, worst);
        return;
      }
      refused = spend(refused, worst);
      refusals = {
        closesDay: refusals.closesDay + Number(own.closesDay),
        payments: refusals.payments + Number(own.payments),
      };
    },
  };
}

type Five = [Spent, Spent, Spent, Spent, Spent];

const nobody: ByOperation<boolean> = { closesDay: false, payments: false };

function either(a: ByOperation<boolean>, b: ByOperation<boolean>): ByOperation<boolean> {
  return { closesDay: a.closesDay || b.closesDay, payments: a.payments || b.payments };
}

function without(spent: Spent, worst: WorstEffect): Spent {
  const own = spend(nothingSpent, worst);
  return {
    closesDay: spent.closesDay - own.closesDay,
    payments: spent.payments - own.payments,
    cents: spent.cents - own.cents,
  };
}
