import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../ports.ts'
import { type ProxyProcess, startProxy } from './proxy-process.ts'

/** nginx in front of several nodes, given by their ports on this machine. */
export async function startNginx(nodes: readonly number[]): Promise<ProxyProcess> {
  const port = await freePort()
  return runNginx(
    `http://127.0.0.1:${port}`,
    `upstream tableside {
    ${nodes.map((node) => `server 127.0.0.1:${node} max_fails=0;`).join(' ')}
    keepalive 64;
  }
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://tableside;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      # A request carries its id, so it may be sent again.
      proxy_next_upstream error timeout http_503 non_idempotent;
    }
  }`,
  )
}

/** nginx with this configuration of its sites, one of which has this URL. */
export async function runNginx(url: string, sites: string): Promise<ProxyProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-nginx-'))
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
worker_rlimit_nofile 65536;
events { worker_connections 32768; }
http {
  access_log off; ${temporary.join(' ')}
  ${sites}
}
`,
  )
  const proxy = await startProxy('/usr/sbin/nginx', ['-p', folder, '-c', file], { url })
  return {
    url,
    async stop() {
      await proxy.stop()
      await rm(folder, { recursive: true })
    },
  }
}
