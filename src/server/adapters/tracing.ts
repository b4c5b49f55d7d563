import { setTimeout } from 'node:timers/promises'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, SpanStatusCode } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { toRefusal } from '../core/errors.ts'
import type { Log, Trace } from '../ports/monitoring.ts'

export type TracingSettings = { url: string; ratio: number }
export type Tracing = ReturnType<typeof createTracing>

const sendTimeoutMs = 5_000
/** A server that stops does not wait longer for the last traces. */
const closeTimeoutMs = 1_000

/** All that leaves: paths as they are in the contract, never as they came. */
const sentAttributes = ['http.request.method', 'http.route', 'http.response.status_code']

/** Sends spans by OTLP. One at a time in a process, because the active span belongs to the process. */
export function createTracing({ url, ratio }: TracingSettings, log: Log) {
  const exporter = new TextlessExporter(new OTLPTraceExporter({ url, timeoutMillis: sendTimeoutMs }), log)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'tableside' }),
    // Whoever calls does not decide what is traced.
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracer = provider.getTracer('tableside')
  const instrumentation = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    recordExceptions: false,
    ignorePaths: ({ url }) => /^\/(?:healthz|readyz|servingz|metrics)(?:\?|$)/u.test(url),
    requestHook: (span, { method, routeOptions }) =>
      void span.updateName(`${method} ${routeOptions.url ?? ''}`),
    lifecycleHook: (span, { hookName }) => void span.updateName(hookName),
  })
  instrumentation.setTracerProvider(provider)

  const trace: Trace = (name, work) =>
    tracer.startActiveSpan(name, async (span) => {
      try {
        return await work()
      } catch (error) {
        if (!toRefusal(error)) span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })

  return {
    trace,
    /** Directly: a plugin that is registered begins after the first routes. */
    instrument: (fastify: Parameters<ReturnType<typeof instrumentation.plugin>>[0]) =>
      instrumentation.plugin()(fastify, {}, () => {}),
    async close(): Promise<void> {
      const sent = provider.shutdown().catch(() => {})
      await Promise.race([sent, setTimeout(closeTimeoutMs, undefined, { ref: false })])
      context.disable()
    },
  }
}

/** The texts of errors quote what people typed, and paths contain codes and one-time links. */
class TextlessExporter implements SpanExporter {
  #exporter: SpanExporter
  #log: Log
  #isFailing = false

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter
    this.#log = log
  }

  export(...[spans, done]: Parameters<SpanExporter['export']>): void {
    this.#exporter.export(spans.map(withoutTexts), (result) => {
      const isFailing = result.error !== undefined
      if (isFailing && !this.#isFailing) this.#log.warn({ error: result.error }, 'traces could not be sent')
      if (!isFailing && this.#isFailing) this.#log.info({}, 'traces are sent again')
      this.#isFailing = isFailing
      done(result)
    })
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown()
  }
}

function withoutTexts(span: ReadableSpan): ReadableSpan {
  const { attributes, status } = span
  const sent = Object.entries(attributes).filter(([name]) => sentAttributes.includes(name))
  return Object.create(span, {
    attributes: { value: Object.fromEntries(sent) },
    events: { value: [] },
    status: { value: { code: status.code } },
  })
}
