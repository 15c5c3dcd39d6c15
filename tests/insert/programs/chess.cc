// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A chess move generator: counts the leaves of the game tree from three positions whose numbers are known, and plays a
// short game against itself by alpha-beta search.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
enum Piece : int8_t { NONE, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING };
enum { WHITE = 1, BLACK = -1 };

struct Move {
	uint8_t from, to;
	int8_t promotion;
	bool castle, passant;
};

// 0x88: squares are rank * 16 + file, and a square is off the board if a bit of 0x88 is set.
class Board {
public:
	explicit Board(const std::string &fen);
	std::vector<Move> moves();
	bool attacked(int square, int by) const;
	Board after(const Move &move) const;
	bool in_check(int side) const { return attacked(king(side), -side); }
	int evaluate() const;
	std::string name(const Move &move) const;
	int side() const { return side_; }

private:
	std::array<int8_t, 128> at_{};
	int side_ = WHITE, passant_ = -1;
	unsigned castle_ = 0;
	int king(int side) const;
	void pawn(int square, std::vector<Move> &list) const;
	void slide(int square, const int *steps, int count, bool once, std::vector<Move> &list) const;
	void castles(std::vector<Move> &list) const;
};

const int diagonal[] = {15, 17, -15, -17}, straight[] = {1, -1, 16, -16}, all[] = {15, 17, -15, -17, 1, -1, 16, -16},
	  jumps[] = {31, 33, 14, 18, -31, -33, -14, -18};

bool off(int square)
{
	return (square & 0x88) != 0;
}

Board::Board(const std::string &fen)
{
	static const std::map<char, Piece> letters = {
	    {'p', PAWN}, {'n', KNIGHT}, {'b', BISHOP}, {'r', ROOK}, {'q', QUEEN}, {'k', KING}};
	size_t i = 0;
	for (int rank = 7, file = 0; i < fen.size() && fen[i] != ' '; i++) {
		if (fen[i] == '/') {
			rank--;
			file = 0;
		} else if (std::isdigit(static_cast<unsigned char>(fen[i])))
			file += fen[i] - '0';
		else {
			auto found = letters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(fen[i]))));
			if (found == letters.end() || rank < 0 || file > 7)
				throw std::invalid_argument("no position: " + fen);
			at_[static_cast<size_t>(rank * 16 + file++)] = static_cast<int8_t>(
			    std::isupper(static_cast<unsigned char>(fen[i])) ? found->second : -found->second);
		}
	}
	if (++i >= fen.size())
		throw std::out_of_range("the side to move is missing: " + fen);
	side_ = fen[i] == 'w' ? WHITE : BLACK;
	for (i += 2; i < fen.size() && fen[i] != ' '; i++) {
		static const std::string rights = "KQkq";
		size_t bit = rights.find(fen[i]);
		if (bit != std::string::npos)
			castle_ |= 1u << bit;
	}
	if (++i + 1 < fen.size() && fen[i] != '-')
		passant_ = (fen[i + 1] - '1') * 16 + fen[i] - 'a';
}

int Board::king(int side) const
{
	for (int square = 0; square < 128; square++) {
		if (!off(square) && at_[static_cast<size_t>(square)] == side * KING)
			return square;
	}
	throw std::logic_error("a king is missing");
}

bool Board::attacked(int square, int by) const
{
	auto is = [&](int where, int piece) { return !off(where) && at_[static_cast<size_t>(where)] == by * piece; };
	if (is(square - by * 15, PAWN) || is(square - by * 17, PAWN))
		return true;
	for (int step : jumps) {
		if (is(square + step, KNIGHT))
			return true;
	}
	for (int step : all) {
		if (is(square + step, KING))
			return true;
		bool slanted = std::find(diagonal, diagonal + 4, step) != diagonal + 4;
		for (int where = square + step; !off(where); where += step) {
			int piece = at_[static_cast<size_t>(where)];
			if (piece == NONE)
				continue;
			if (piece == by * QUEEN || piece == by * (slanted ? BISHOP : ROOK))
				return true;
			break;
		}
	}
	return false;
}

void Board::pawn(int square, std::vector<Move> &list) const
{
	auto add = [&](int to, bool passant) {
		if (to >> 4 == (side_ == WHITE ? 7 : 0)) {
			for (int8_t piece : {QUEEN, ROOK, BISHOP, KNIGHT})
				list.push_back({static_cast<uint8_t>(square), static_cast<uint8_t>(to), piece, false, false});
		} else
			list.push_back({static_cast<uint8_t>(square), static_cast<uint8_t>(to), NONE, false, passant});
	};
	int ahead = square + 16 * side_;
	if (!off(ahead) && at_[static_cast<size_t>(ahead)] == NONE) {
		add(ahead, false);
		int two = ahead + 16 * side_;
		if (square >> 4 == (side_ == WHITE ? 1 : 6) && at_[static_cast<size_t>(two)] == NONE)
			add(two, false);
	}
	for (int aside : {-1, 1}) {
		int to = ahead + aside;
		if (off(to))
			continue;
		if (at_[static_cast<size_t>(to)] * side_ < 0)
			add(to, false);
		else if (to == passant_)
			add(to, true);
	}
}

void Board::slide(int square, const int *steps, int count, bool once, std::vector<Move> &list) const
{
	for (int i = 0; i < count; i++) {
		for (int to = square + steps[i]; !off(to); to += steps[i]) {
			int piece = at_[static_cast<size_t>(to)];
			if (piece * side_ > 0)
				break;
			list.push_back({static_cast<uint8_t>(square), static_cast<uint8_t>(to), NONE, false, false});
			if (piece != NONE || once)
				break;
		}
	}
}

void Board::castles(std::vector<Move> &list) const
{
	int home = side_ == WHITE ? 4 : 116;
	unsigned rights = side_ == WHITE ? castle_ & 3 : castle_ >> 2;
	auto free = [&](std::initializer_list<int> squares) {
		return std::all_of(squares.begin(), squares.end(),
		    [&](int square) { return at_[static_cast<size_t>(square)] == NONE; });
	};
	if (rights == 0 || attacked(home, -side_))
		return;
	if ((rights & 1) != 0 && free({home + 1, home + 2}) && !attacked(home + 1, -side_))
		list.push_back({static_cast<uint8_t>(home), static_cast<uint8_t>(home + 2), NONE, true, false});
	if ((rights & 2) != 0 && free({home - 1, home - 2, home - 3}) && !attacked(home - 1, -side_))
		list.push_back({static_cast<uint8_t>(home), static_cast<uint8_t>(home - 2), NONE, true, false});
}

std::vector<Move> Board::moves()
{
	std::vector<Move> list, legal;
	list.reserve(64);
	for (int square = 0; square < 128; square++) {
		if (off(square))
			continue;
		switch (at_[static_cast<size_t>(square)] * side_) {
		case PAWN:
			pawn(square, list);
			break;
		case KNIGHT:
			slide(square, jumps, 8, true, list);
			break;
		case BISHOP:
			slide(square, diagonal, 4, false, list);
			break;
		case ROOK:
			slide(square, straight, 4, false, list);
			break;
		case QUEEN:
			slide(square, all, 8, false, list);
			break;
		case KING:
			slide(square, all, 8, true, list);
			castles(list);
			break;
		default:
			break;
		}
	}
	std::copy_if(list.begin(), list.end(), std::back_inserter(legal),
	    [&](const Move &move) { return !after(move).in_check(side_); });
	return legal;
}

Board Board::after(const Move &move) const
{
	static const std::map<int, unsigned> corners = {{0, 2}, {7, 1}, {112, 8}, {119, 4}, {4, 3}, {116, 12}};
	Board next = *this;
	int8_t &from = next.at_[move.from], &to = next.at_[move.to];
	int piece = from * side_;
	to = move.promotion != NONE ? static_cast<int8_t>(move.promotion * side_) : from;
	from = NONE;
	if (move.passant)
		next.at_[static_cast<size_t>(move.to - 16 * side_)] = NONE;
	if (move.castle) {
		int rook = move.to > move.from ? move.from + 3 : move.from - 4;
		next.at_[static_cast<size_t>((move.from + move.to) / 2)] = next.at_[static_cast<size_t>(rook)];
		next.at_[static_cast<size_t>(rook)] = NONE;
	}
	next.passant_ = piece == PAWN && std::abs(move.to - move.from) == 32 ? (move.from + move.to) / 2 : -1;
	for (int square : {static_cast<int>(move.from), static_cast<int>(move.to)}) {
		auto found = corners.find(square);
		if (found != corners.end())
			next.castle_ &= ~found->second;
	}
	next.side_ = -side_;
	return next;
}

int Board::evaluate() const
{
	static const int worth[] = {0, 100, 320, 330, 500, 900, 0};
	int sum = 0;
	for (int square = 0; square < 128; square++) {
		int piece = off(square) ? 0 : at_[static_cast<size_t>(square)];
		int file = square & 7, rank = square >> 4, middle = std::min(file, 7 - file) + std::min(rank, 7 - rank);
		if (piece != 0)
			sum += (piece > 0 ? 1 : -1) * (worth[std::abs(piece)] + 4 * middle);
	}
	return sum * side_;
}

std::string Board::name(const Move &move) const
{
	std::string text;
	for (int square : {static_cast<int>(move.from), static_cast<int>(move.to)}) {
		text += static_cast<char>('a' + (square & 7));
		text += static_cast<char>('1' + (square >> 4));
	}
	return text;
}

uint64_t leaves(Board board, int depth)
{
	uint64_t sum = 0;
	for (const Move &move : board.moves())
		sum += depth == 1 ? 1 : leaves(board.after(move), depth - 1);
	return sum;
}

int search(Board board, int depth, int low, int high)
{
	if (depth == 0)
		return board.evaluate();
	auto list = board.moves();
	if (list.empty())
		return board.in_check(board.side()) ? -100000 - depth : 0;
	for (const Move &move : list) {
		int value = -search(board.after(move), depth - 1, -high, -low);
		if (value >= high)
			return value;
		low = std::max(low, value);
	}
	return low;
}
} // namespace

int main()
{
	static const struct {
		const char *fen;
		int depth;
		uint64_t expected;
	} known[] = {{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", 3, 8902},
	    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 2, 2039},
	    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 3, 2812}};
	int wrong = 0;
	for (const auto &position : known) {
		uint64_t found = leaves(Board(position.fen), position.depth);
		std::printf("%llu\n", static_cast<unsigned long long>(found));
		wrong += found != position.expected;
	}
	Board board(known[0].fen);
	std::string game;
	for (int ply = 0; ply < 6; ply++) {
		auto list = board.moves();
		std::vector<std::pair<int, size_t>> values;
		for (size_t i = 0; i < list.size(); i++)
			values.emplace_back(search(board.after(list[i]), 1, -1000000, 1000000), i);
		std::sort(values.begin(), values.end());
		game += board.name(list[values[0].second]) + " ";
		board = board.after(list[values[0].second]);
	}
	std::printf("%s\n", game.c_str());
	for (const char *bad : {"x", "8/8", "8/8/8/8/8/8/P7/8 w - -"}) {
		try {
			Board broken(bad);
			broken.moves();
			wrong++;
		} catch (const std::invalid_argument &error) {
			std::printf("invalid: %s\n", error.what());
		} catch (const std::exception &error) {
			std::printf("refused: %s\n", error.what());
		}
	}
	return wrong;
}
