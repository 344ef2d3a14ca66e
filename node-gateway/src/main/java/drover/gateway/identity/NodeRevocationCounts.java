package drover.gateway.identity;

/**
 * What an operator's word ended of a node; nothing of it when it was ended before.
 *
 * @param certificates that could still have been dialled with
 * @param joinTokens for this node alone that would still have enrolled a machine
 */
public record NodeRevocationCounts(int certificates, int joinTokens) {}
