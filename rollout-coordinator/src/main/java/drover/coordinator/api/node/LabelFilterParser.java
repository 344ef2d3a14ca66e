package drover.coordinator.api.node;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Labels that nodes must have, as callers write them: {@code key=value}, each key once. */
final class LabelFilterParser {
    private static final int MOST = 16; // a node has 64; nobody narrows by more than a few

    private LabelFilterParser() {}

    static Map<String, String> parse(List<String> requested) {
        if (requested.size() > MOST) {
            throw invalidLabelRefusal("Narrow by " + MOST + " labels at the most.");
        }
        Map<String, String> labels = new LinkedHashMap<>();
        for (String label : requested) {
            int equals = label.indexOf('=');
            if (equals < 1) {
                throw invalidLabelRefusal("Write a label as key=value, such as zone=north.");
            }
            String key = label.substring(0, equals);
            if (labels.put(key, label.substring(equals + 1)) != null) {
                throw invalidLabelRefusal(
                        "A node has one value of " + key + "; give that label once.");
            }
        }
        return labels;
    }

    private static Refused invalidLabelRefusal(String sentence) {
        return new Refused(RefusalCode.INVALID_FIELD, sentence, "label");
    }
}
