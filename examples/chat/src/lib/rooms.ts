/** A fixed list of rooms, so that visitors cannot fill the memory with rooms. */
export const ROOMS = ['lobby', 'tea', 'books', 'gardening'] as const;

export type Room = (typeof ROOMS)[number];

export const isRoom = (name: string): name is Room => (ROOMS as readonly string[]).includes(name);
