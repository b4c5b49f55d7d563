import type { ServerMessage } from '#contract/live.ts'

/** `asked`: a guest waits. `answered`: somebody of the crew is on the way, or has been there. */
export type Progress = 'idle' | 'asked' | 'answered'

/** `waiting`: the ids of the requests that nobody has answered. */
export type FollowedRequests = { waiting: readonly string[]; isAnswered: boolean }

export const initialRequests: FollowedRequests = { waiting: [], isAnswered: false }

export function followRequests(before: FollowedRequests, message: ServerMessage): FollowedRequests {
  switch (message.type) {
    case 'pending-requests': {
      const open = message.requests.filter(({ state }) => state === 'waiting')
      return { ...before, waiting: open.map(({ id }) => id) }
    }
    case 'new-request':
      return withRequest(before, message.request)
    case 'request-updated':
      return message.request.state === 'accepted'
        ? { ...without(before, message.request.id), isAnswered: true }
        : withRequest(before, message.request)
    case 'request-completed': {
      const after = without(before, message.id)
      // A guest who takes the request back is answered by nobody, and one that joins another waits there.
      return message.cancelled || message.mergedInto !== undefined ? after : { ...after, isAnswered: true }
    }
    default:
      return before
  }
}

export const progressOf = ({ waiting, isAnswered }: FollowedRequests): Progress =>
  isAnswered ? 'answered' : waiting.length > 0 ? 'asked' : 'idle'

const without = (before: FollowedRequests, id: string): FollowedRequests => ({
  ...before,
  waiting: before.waiting.filter((each) => each !== id),
})

const withRequest = (before: FollowedRequests, { id }: { id: string }): FollowedRequests => ({
  ...before,
  waiting: [...without(before, id).waiting, id],
})
