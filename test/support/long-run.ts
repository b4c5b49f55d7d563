/**
 * Whether proofs play all that they can (`npm run proofs:long`). Otherwise they play a share, which has to find every
 * fault that was ever planted in what they prove.
 */
export const isLongRun = process.env['PROOFS'] === 'long'
