/**
 * Baselines of the measurements: the same messages over bare gRPC streams, and the same rows in
 * bare batched statements. Start with {@link drover.bench.baseline.StreamBaseline}, then {@link
 * drover.bench.baseline.SqlUpdateBaseline}. Must not depend on any service of the product.
 */
@NullMarked
package drover.bench.baseline;

import org.jspecify.annotations.NullMarked;
