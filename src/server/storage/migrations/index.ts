import * as initial from './001-initial.ts'

/** In order, for ever: a migration that has shipped is never edited. */
export const migrations = { '001-initial': initial }
