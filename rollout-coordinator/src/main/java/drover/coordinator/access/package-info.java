/**
 * Who may call this coordinator, as decisions: {@link
 * drover.coordinator.access.OperatorAccessTable} gives every operators' method its scope; {@link
 * drover.coordinator.access.ApiKey} says whether a key is good; {@link
 * drover.coordinator.access.ApiKeyCreationRules} says what a new one may do. Pure, as {@code plan}
 * is; of Drover it knows the vocabulary and the kit's words for access alone.
 */
@NullMarked
package drover.coordinator.access;

import org.jspecify.annotations.NullMarked;
