import { Counter, Histogram } from 'prom-client'

/** Loaded into a server with `--import`: nothing that happens is counted or timed. */
const skip = () => {}
for (const { prototype } of [Counter, Histogram]) Object.assign(prototype, { inc: skip, observe: skip })
