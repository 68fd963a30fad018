import { AppError } from '../common/index.js';
import { budgetWords, type CountedBudget } from './budget.js';

/** The longest `Retry-After`, in seconds. */
const MOST_RETRY_S = 24 * 60 * 60;

/** A budget is used up (contract access, section 7.3). The message shows nothing of what others use. */
export class BudgetExceeded extends AppError {
  /**
   * @param exceeded the budget that has no room
   * @param resetsInMs until its period ends; null if it does not
   */
  constructor(
    readonly exceeded: CountedBudget,
    resetsInMs: number | null = null,
  ) {
    super('BUDGET_EXCEEDED', `${budgetWords(exceeded.budget)} is used up`, {
      retryAfterSeconds: Math.max(1, Math.min(MOST_RETRY_S, Math.ceil((resetsInMs ?? MOST_RETRY_S * 1000) / 1000))),
    });
  }
}
