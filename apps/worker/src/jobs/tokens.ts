/** Names under which Nest finds what has no class of its own. */
export const CONFIG = Symbol('Config');
export const LOGGER = Symbol('Logger');
export const LIMIT_STORE = Symbol('LimitStore');
export const PROBER = Symbol('Prober');
