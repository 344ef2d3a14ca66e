package drover.coordinator.store.group;

import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.GroupId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What people read of groups; any replica answers. All methods throw {@link StoreUnavailable}. */
public interface GroupViews {
    /** A group with the progress of its components. */
    Optional<GroupWithComponents> find(GroupId id);

    /**
     * Groups, newest first. One that a later version wrote, or of which it wrote a component, does
     * not stand in the way of the others.
     *
     * @param chain only those of this chain; empty for all
     * @param status only those with this status; empty for all
     * @param after continues after this group; null from the newest
     */
    List<ListedGroup> list(String chain, String status, @Nullable GroupId after, int limit);

    /** History of a group, newest first. */
    List<NumberedHistoryEntry> history(GroupId id, int limit);

    /** One of a list. */
    sealed interface ListedGroup {
        /** Which. */
        GroupId id();

        /** Who created it. */
        String createdBy();

        /** When it was created. */
        Instant createdAt();

        /** When it was started; null when it was not. */
        @Nullable Instant startedAt();

        /** When it ended; null while it has not. */
        @Nullable Instant finishedAt();
    }

    /**
     * A group of which this version cannot read more than its columns.
     *
     * @param status its word, which this version may not have
     */
    record UnreadableGroup(
            GroupId id,
            String chain,
            String status,
            String createdBy,
            Instant createdAt,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt)
            implements ListedGroup {}

    /** A group for people. */
    record GroupWithComponents(
            RolloutGroup group,
            List<ComponentSummary> components,
            String createdBy,
            Instant createdAt,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt)
            implements ListedGroup {
        public GroupWithComponents {
            components = List.copyOf(components);
        }

        @Override
        public GroupId id() {
            return group.id();
        }
    }

    /** A component for people. */
    record ComponentSummary(
            RolloutId rollout, RolloutSpec spec, RolloutState state, NodeCounters counters) {}

    /** A row of a group's history. */
    record NumberedHistoryEntry(long seq, HistoryEntry entry) {}
}
