package drover.coordinator.api.group;

import drover.coordinator.api.GrpcCalls;
import drover.coordinator.api.rollout.RolloutQueries;
import drover.coordinator.engine.create.FieldParser;
import drover.coordinator.engine.group.GroupRequestService;
import drover.coordinator.plan.group.GroupExplainer;
import drover.coordinator.store.group.GroupViews;
import drover.coordinator.store.group.GroupViews.ListedGroup;
import drover.coordinator.store.group.GroupViews.View;
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
    static GroupId id(String text) {
        GroupId id = FieldParser.parse("group_id", text, GroupId::new);
        if (!GrpcCalls.isUuid(id.value())) {
            throw GroupRequestService.notFoundRefusal(id);
        }
        return id;
    }

    RolloutGroup group(GroupId id) {
        return GroupProtos.group(view(id));
    }

    /** Refuses a start that a component's own start must justify, and that is not. */
    void requireReason(GroupId id, String reason) {
        if (reason.isBlank()) {
            view(id).components()
                    .forEach(component -> rollouts.requireReason(component.rollout(), reason));
        }
    }

    private View view(GroupId id) {
        return views.find(id).orElseThrow(() -> GroupRequestService.notFoundRefusal(id));
    }

    GetRolloutGroupResponse whole(GroupId id) {
        View view = view(id);
        GetRolloutGroupResponse.Builder response =
                GetRolloutGroupResponse.newBuilder().setGroup(GroupProtos.group(view));
        view.components()
                .forEach(component -> response.addRollouts(rollouts.rollout(component.rollout())));
        return response.build();
    }

    ListRolloutGroupsResponse list(ListRolloutGroupsRequest request) {
        int size = limit("page_size", request.getPageSize(), DEFAULT_PAGE);
        List<ListedGroup> found =
                views.list(
                        request.getChainProfileId(),
                        status(request),
                        request.getPageToken().isEmpty() ? null : after(request.getPageToken()),
                        size + 1);
        ListRolloutGroupsResponse.Builder response = ListRolloutGroupsResponse.newBuilder();
        List<ListedGroup> page = found.subList(0, Math.min(size, found.size()));
        page.forEach(listed -> response.addGroups(GroupProtos.listed(listed)));
        if (found.size() > size) {
            response.setNextPageToken(page.getLast().id().value());
        }
        return response.build();
    }

    private static String status(ListRolloutGroupsRequest request) {
        if (request.getStatus() == RolloutGroupStatus.UNRECOGNIZED) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "There is no rollout group status "
                            + request.getStatusValue()
                            + "; leave it out to see all.",
                    "status");
        }
        return GroupProtos.word(request.getStatus());
    }

    private static GroupId after(String token) {
        if (!GrpcCalls.isUuid(token)) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "Give the next_page_token of an earlier answer.",
                    "page_token");
        }
        return new GroupId(token);
    }

    ExplainRolloutGroupResponse explain(GroupId id, int requested) {
        int limit = limit("limit", requested, DEFAULT_HISTORY);
        View view = view(id);
        ExplainRolloutGroupResponse.Builder response =
                ExplainRolloutGroupResponse.newBuilder()
                        .setGroup(GroupProtos.group(view))
                        .addCurrent(GroupProtos.reason(GroupExplainer.explain(view.group())));
        views.history(id, limit).forEach(entry -> response.addHistory(GroupProtos.reason(entry)));
        return response.build();
    }

    /** What a uint32 of the wire holds may be negative here. */
    private static int limit(String field, int requested, int usual) {
        if (requested < 0 || requested > LARGEST_PAGE) {
            throw new Refused(RefusalCode.INVALID_FIELD, field + " is 1 to 1000.", field);
        }
        return requested == 0 ? usual : requested;
    }
}
