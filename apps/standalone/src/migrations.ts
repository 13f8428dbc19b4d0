// In a separate file, so that the start of Postgres does not wait for these modules to load.
export { migrate } from '@app/storage';
