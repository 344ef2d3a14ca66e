package drover.coordinator.api.group;

import drover.coordinator.api.PageSizeParser;
import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.api.rollout.RolloutQueries;
import drover.coordinator.engine.create.RefusingFieldParser;
import drover.coordinator.engine.group.OperatorGroupRequestSubmitter;
import drover.coordinator.plan.group.GroupExplainer;
import drover.coordinator.store.group.GroupViews;
import drover.coordinator.store.group.GroupViews.GroupWithComponents;
import drover.coordinator.store.group.GroupViews.ListedGroup;
import drover.kit.grpc.Refused;
import drover.model.GroupId;
import drover.model.RefusalCode;
import drover.rollout.v1.ExplainRolloutGroupResponse;
import drover.rollout.v1.GetRolloutGroupResponse;
import drover.rollout.v1.ListRolloutGroupsRequest;
import drover.rollout.v1.ListRolloutGroupsResponse;
import drover.rollout.v1.RolloutGroup;
import drover.rollout.v1.RolloutGroupStatus;
import java.util.List;

/** Reads groups for operators and says why they are where they are. */
public final class GroupQueries {
    private static final int DEFAULT_PAGE = 50;
    private static final int DEFAULT_HISTORY = 100;
    private static final int LARGEST_PAGE = 1_000;

    private final GroupViews views;
    private final RolloutQueries rollouts;

    /** Reads groups here and the rollouts of their components there. */
    public GroupQueries(GroupViews views, RolloutQueries rollouts) {
        this.views = views;
        this.rollouts = rollouts;
    }

    /** The id, which must be one of a group's form. */
    static GroupId parseId(String text) {
        GroupId id = RefusingFieldParser.parse("group_id", text, GroupId::new);
        if (!RolloutIdCallHelpers.isUuid(id.value())) {
            throw OperatorGroupRequestSubmitter.notFoundRefusal(id);
        }
        return id;
    }

    RolloutGroup readGroup(GroupId id) {
        return GroupProtos.toGroup(readView(id));
    }

    /** Refuses a start that a component's own start must justify, and that is not. */
    void requireReasonIfRisky(GroupId id, String reason) {
        if (reason.isBlank()) {
            readView(id)
                    .components()
                    .forEach(
                            component ->
                                    rollouts.requireReasonIfRisky(component.rollout(), reason));
        }
    }

    private GroupWithComponents readView(GroupId id) {
        return views.find(id).orElseThrow(() -> OperatorGroupRequestSubmitter.notFoundRefusal(id));
    }

    GetRolloutGroupResponse readGroupWithRollouts(GroupId id) {
        GroupWithComponents view = readView(id);
        GetRolloutGroupResponse.Builder response =
                GetRolloutGroupResponse.newBuilder().setGroup(GroupProtos.toGroup(view));
        view.components()
                .forEach(
                        component ->
                                response.addRollouts(rollouts.readRollout(component.rollout())));
        return response.build();
    }

    ListRolloutGroupsResponse list(ListRolloutGroupsRequest request) {
        int size =
                PageSizeParser.parse(
                        "page_size", request.getPageSize(), DEFAULT_PAGE, LARGEST_PAGE);
        List<ListedGroup> found =
                views.list(
                        request.getChainProfileId(),
                        parseStatus(request),
                        request.getPageToken().isEmpty()
                                ? null
                                : parsePageToken(request.getPageToken()),
                        size + 1);
        ListRolloutGroupsResponse.Builder response = ListRolloutGroupsResponse.newBuilder();
        List<ListedGroup> page = found.subList(0, Math.min(size, found.size()));
        page.forEach(listed -> response.addGroups(GroupProtos.toListEntry(listed)));
        if (found.size() > size) {
            response.setNextPageToken(page.getLast().id().value());
        }
        return response.build();
    }

    private static String parseStatus(ListRolloutGroupsRequest request) {
        if (request.getStatus() == RolloutGroupStatus.UNRECOGNIZED) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "There is no rollout group status "
                            + request.getStatusValue()
                            + "; leave it out to see all.",
                    "status");
        }
        return GroupProtos.toStoredName(request.getStatus());
    }

    private static GroupId parsePageToken(String token) {
        if (!RolloutIdCallHelpers.isUuid(token)) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "Give the next_page_token of an earlier answer.",
                    "page_token");
        }
        return new GroupId(token);
    }

    ExplainRolloutGroupResponse explain(GroupId id, int requested) {
        int limit = PageSizeParser.parse("limit", requested, DEFAULT_HISTORY, LARGEST_PAGE);
        GroupWithComponents view = readView(id);
        ExplainRolloutGroupResponse.Builder response =
                ExplainRolloutGroupResponse.newBuilder()
                        .setGroup(GroupProtos.toGroup(view))
                        .addCurrent(GroupProtos.toReason(GroupExplainer.explain(view.group())));
        views.history(id, limit).forEach(entry -> response.addHistory(GroupProtos.toReason(entry)));
        return response.build();
    }
}
