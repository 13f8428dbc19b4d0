// Apart from the start of Postgres, which does not wait for the modules behind this.
export { migrate } from '@app/storage';
