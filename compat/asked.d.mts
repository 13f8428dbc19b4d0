/** An answer of status 402 as a host gives it. */
export interface Challenge {
  readonly status: 402;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export interface Asked {
  readonly whole: Challenge;
  /** With one way to pay each, where there are several. */
  readonly alone: readonly Challenge[];
}

export function askedChallenges(seed: number, count: number): readonly Asked[];
