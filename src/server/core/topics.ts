import type * as streams from '../storage/streams.ts'

export type Topic = streams.Topic

export const topicName = (topic: Topic): string => {
  switch (topic.kind) {
    case 'staff':
      return `staff:${topic.restaurantId}`
    case 'crew':
      return `crew:${topic.restaurantId}:${topic.crewMemberId}`
    case 'management':
      return `management:${topic.restaurantId}`
    case 'table':
      return `table:${topic.restaurantId}:${topic.tableKey}`
    case 'ended-visits':
      return `ended-visits:${topic.restaurantId}:${topic.tableKey}`
    case 'guests':
      return `guests:${topic.restaurantId}`
  }
}
