/** What happens to an installation, under load, with its figures. */
const drills: Record<string, string> = {
  'rolling-restart':
    'two nodes behind a proxy: restarted in turn, one killed, PostgreSQL restarted; with --redis Redis killed (--proxy nginx|caddy, --screens 1000)',
  'primary-loss':
    'two nodes behind a proxy: the primary of two PostgreSQL servers killed, the standby promoted (--redis, --proxy nginx|caddy, --screens 200)',
  backup:
    'a backup while guests ask and crews complete, verified and restored; on SQLite and PostgreSQL (--requests 300000)',
  package:
    'what npm pack makes, installed and started twice, behind nginx and then Caddy with TLS (--requests 500)',
  watching: 'what metrics and traces cost (--rounds 5, --ms 3000)',
  webhooks:
    'webhooks of every request, with a receiver that fails for a while, and reads with tokens (--seconds 15)',
  erasure:
    'a large restaurant is exported and erased while others work; on SQLite and PostgreSQL (--requests 200000)',
  scale:
    'what a restaurant costs among 10, 1,000, 10,000 and 100,000: the cost sheet; about 40 minutes (--quick, --systems, --restaurants)',
  jitter:
    'screens that lose their network every 15 seconds, beside socket.io (--screens 1000, --seconds 60, --rounds 2)',
  outage: 'the only server away for 30 seconds (--screens 200, --pages 6)',
}

const [name = ''] = process.argv.splice(2, 1)
if (Object.hasOwn(drills, name)) await import(`./drills/${name}.ts`)
else {
  const lines = Object.entries(drills).map(([each, what]) => `  npm run drill ${each.padEnd(16)} ${what}`)
  console.error(
    ['Please name a drill. Each needs a build (npm run build), and options after --:', ...lines].join('\n'),
  )
  process.exitCode = 1
}
