/** Whether something was delivered: if not, the problem in words for an owner, without anybody's secret. */
export type DeliveryOutcome = { problem: string | null }

/** The operator's mail server. Never throws. */
export type Mailer = {
  /** A repeat with the same id is the same mail. */
  send(mail: { id: string; to: string; subject: string; text: string }): Promise<DeliveryOutcome>
  /** Mails being sent fail. */
  close(): void
}

/** Calls addresses that owners chose, which must be public or named by the operator. Never throws. */
export type Outbound = {
  /** Why this address is refused; null if it may be called. What a name resolves to is checked by `post`. */
  problem(url: URL): string | null
  /** Delivered if the answer is a success. */
  post(url: URL, message: { headers: Record<string, string>; body: string }): Promise<DeliveryOutcome>
  /** Calls being made fail. */
  close(): void
}
