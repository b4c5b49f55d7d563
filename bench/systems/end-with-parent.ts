/** Loaded into a server with `--import`: it ends with the process that started it, however that ends. */
process.once('disconnect', () => process.exit(1))
// To listen must not keep it alive.
process.channel?.unref()
