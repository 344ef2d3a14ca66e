/** Tests of the operators' doors over a real PostgreSQL, with neighbours in memory. */
@NullMarked
package drover.coordinator.api;

import org.jspecify.annotations.NullMarked;
