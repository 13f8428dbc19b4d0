import type { Random } from './random';

/** One request of a history. A dead one belongs to a crashed process and never runs again. */
export interface Actor {
  dead: boolean;
  /** Steps until its process crashes; negative for never. */
  stepsToCrash: number;
}

/** Slightly more than another request needs from its arrival to its answer. */
const STALL_TURNS = 40;

/** Interleaves requests at every call to the world, in an order determined by the seed. */
export class Scheduler {
  private waiting: { readonly actor: Actor; readonly resume: () => void }[] = [];

  constructor(private readonly random: Random) {}

  /** A point where others may run, and where the actor's process may crash. */
  point(actor: Actor): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ actor, resume: resolve }));
  }

  /** A process that pauses so long that others make much progress. */
  async stall(actor: Actor): Promise<void> {
    for (let turns = this.random.below(STALL_TURNS); turns >= 0; turns -= 1) await this.point(actor);
  }

  /** Runs until every request has ended or crashed. */
  async run(requests: readonly Promise<unknown>[], actors: readonly Actor[]): Promise<void> {
    let open = requests.length;
    for (const request of requests) void request.finally(() => (open -= 1));
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      this.waiting = this.waiting.filter(({ actor }) => !actor.dead);
      const [next] = this.waiting.splice(this.random.below(this.waiting.length), 1);
      if (!next) {
        if (open - actors.filter((actor) => actor.dead).length > 0) throw new Error('a request waits for nothing');
        return;
      }
      if (next.actor.stepsToCrash === 0) {
        next.actor.dead = true;
        continue;
      }
      next.actor.stepsToCrash -= 1;
      next.resume();
    }
  }
}
