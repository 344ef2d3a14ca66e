/**
 * What cannot be beaten: the same messages over bare gRPC streams, all at once or one at a time,
 * the same rows in bare batched statements. Start reading at {@link drover.bench.limit.BareStream}.
 * Uses no service of the product.
 */
@NullMarked
package drover.bench.limit;

import org.jspecify.annotations.NullMarked;
