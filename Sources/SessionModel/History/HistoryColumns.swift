import Border

/// The points of a span, divided into columns of equal time, the last of which ends at the newest point. [any]
package struct HistoryColumns: Sendable {
  private let columns: [[HistoryPoint]]
  /// The most consecutive empty columns that repeat the one before.
  private let reach: Int

  package init(_ history: CallHistory, span: Double, count: Int) {
    var columns = [[HistoryPoint]](repeating: [], count: max(count, 0))
    let newest = history.points.last?.time ?? 0
    for point in history.last(span).points {
      let column = count - 1 - Int(bounded: ((newest - point.time) / span * Double(count)).rounded(.down))
      if columns.indices.contains(column) { columns[column].append(point) }
    }
    self.columns = columns
    reach = Int(bounded: (1.5 * CallHistory.interval * Double(count) / span).rounded(.up))
  }

  /// Returns the largest value of each column; nil without any.
  package func largest(_ value: (HistoryPoint) -> Double?) -> [Double?] {
    filled(columns.map { $0.isEmpty ? .none : .some($0.compactMap(value).max()) })
  }

  /// Returns the sum of each column. Clamps each value to a million, because another nearend's document may contain anything.
  package func sums(_ value: (HistoryPoint) -> Int) -> [Int] { columns.map { $0.reduce(0) { $0 + min(max(value($1), 0), 1_000_000) } } }

  /// Returns the largest level of each band in each column; nil without any.
  package func bands(_ bands: (HistoryPoint) -> [UInt8]) -> [[UInt8]?] {
    filled(
      columns.map { points in
        guard !points.isEmpty else { return .none }
        var largest: [UInt8]?
        for point in points where !bands(point).isEmpty {
          let new = bands(point)
          largest = largest.map { $0.count == new.count ? zip($0, new).map { max($0, $1) } : new } ?? new
        }
        return .some(largest)
      })
  }

  /// Repeats the previous column in an empty one: points arrive a little early or late, and columns may be narrower than their distance.
  private func filled<Value>(_ values: [Value??]) -> [Value?] {
    var (last, age) = (Value?.none, 0)
    return values.map { value in
      if let value {
        (last, age) = (value, 0)
        return value
      }
      age += 1
      return age <= reach ? last : nil
    }
  }
}
