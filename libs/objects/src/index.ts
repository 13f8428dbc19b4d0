export type { DeepReadonly } from './deep-readonly';
export { defined } from './defined';
export { withoutTrailing } from './without-trailing';
export { without } from './without';
export { within } from './within';
